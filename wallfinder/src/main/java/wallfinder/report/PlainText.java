package wallfinder.report;

import java.util.ArrayList;
import java.util.List;
import wallfinder.record.Harmless;

/// Text for the terminal under construction: paragraphs with a hanging indent, and tables.
final class PlainText {
    private static final int WIDTH = 100;
    private static final String BOLD = "\u001b[1m";
    private static final String DIM = "\u001b[2m";
    private static final String RESET = "\u001b[0m";

    private final StringBuilder text = new StringBuilder();
    private final boolean ansi;

    PlainText(boolean ansi) {
        this.ansi = ansi;
    }

    PlainText blank() {
        text.append('\n');
        return this;
    }

    /// A paragraph. The lead precedes its first line and indents the other lines.
    PlainText add(String lead, String paragraph) {
        return wrapped(lead, paragraph, "");
    }

    PlainText strong(String paragraph) {
        return wrapped("", paragraph, BOLD);
    }

    PlainText faint(String lead, String paragraph) {
        return wrapped(lead, paragraph, DIM);
    }

    /// A line to copy, which is never wrapped.
    PlainText source(String lead, String line) {
        text.append((lead + printable(line)).stripTrailing()).append('\n');
        return this;
    }

    private PlainText wrapped(String lead, String paragraph, String style) {
        String indent = " ".repeat(lead.length());
        String begin = lead;
        for (String line : wrap(printable(paragraph), WIDTH - lead.length())) {
            text.append(begin).append(styled(line, style)).append('\n');
            begin = indent;
        }
        return this;
    }

    PlainText table(Table<?> table) {
        boolean[] right = new boolean[table.columns().size()];
        for (int i = 0; i < right.length; i++) {
            right[i] = table.columns().get(i).figures();
        }
        return table(table.rows(), right);
    }

    /// Each column is as wide as its widest cell. The first row is the head.
    ///
    /// @param right whether the cells of a column are aligned at the right
    PlainText table(List<List<String>> rows, boolean... right) {
        int[] widths = new int[right.length];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], printable(row.get(i)).length());
            }
        }
        for (int r = 0; r < rows.size(); r++) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String cell = printable(rows.get(r).get(i));
                String fill = " ".repeat(widths[i] - cell.length());
                line.append("  ").append(right[i] ? fill + cell : cell + fill);
            }
            text.append(styled(line.toString().stripTrailing(), r == 0 ? BOLD : "")).append('\n');
        }
        return this;
    }

    private String styled(String line, String style) {
        return ansi && !style.isEmpty() ? style + line + RESET : line;
    }

    private static String printable(String raw) {
        return Harmless.line(raw);
    }

    private static List<String> wrap(String paragraph, int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : paragraph.split(" ")) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }

    @Override
    public String toString() {
        return text.toString();
    }
}

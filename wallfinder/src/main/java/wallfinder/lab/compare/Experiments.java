package wallfinder.lab.compare;

import java.util.ArrayList;
import java.util.List;

/// Adds a factor to the text of an experiment.
final class Experiments {
    private static final String INDENT = "  ";

    private Experiments() {}

    /// The text without its leading comment lines and with one more factor. If the experiment has a
    /// matrix already, the factor becomes its first one.
    ///
    /// @param factor one line
    static String with(String text, String factor) {
        List<String> lines =
                new ArrayList<>(text.lines().filter(line -> !line.startsWith("#")).toList());
        int matrix = 0;
        while (matrix < lines.size() && !lines.get(matrix).matches("matrix:\\s*(#.*)?")) {
            matrix++;
        }
        if (matrix == lines.size()) {
            lines.add("matrix:");
            lines.add(INDENT + factor);
        } else {
            lines.add(matrix + 1, indent(lines, matrix + 1) + factor);
        }
        return String.join("\n", lines) + "\n";
    }

    private static String indent(List<String> lines, int line) {
        return line < lines.size() && lines.get(line).startsWith(" ")
                ? lines.get(line).replaceFirst("\\S.*", "")
                : INDENT;
    }
}

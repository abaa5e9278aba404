package wallfinder.live;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// A line of a frame, never wider than the terminal.
public record Line(List<Part> parts) {
    public record Part(String text, Tone tone) {}

    /// Names come from files and services, so neither their control characters nor characters of
    /// another width may reach the terminal.
    static String printable(String raw) {
        return raw.codePoints()
                .mapToObj(c ->
                        isNarrow(c) ? Character.toString(c) : Character.isISOControl(c) ? " " : "?")
                .collect(Collectors.joining());
    }

    /// Whether a terminal shows it in exactly one cell: letters of European alphabets, and the
    /// lines and blocks that this view draws.
    private static boolean isNarrow(int c) {
        boolean letter = within(c, ' ', 0x52F) && !Character.isISOControl(c) && c != 0xAD;
        boolean combines = within(c, 0x300, 0x36F) || within(c, 0x483, 0x489);
        return (letter && !combines) || within(c, 0x2010, 0x2027) || within(c, 0x2500, 0x259F);
    }

    private static boolean within(int c, int first, int last) {
        return c >= first && c <= last;
    }

    static Builder of(int width) {
        return new Builder(width);
    }

    /// A line under construction. What does not fit is cut off.
    static final class Builder {
        private final List<Part> parts = new ArrayList<>();
        private final int width;
        private int used;

        private Builder(int width) {
            this.width = width;
        }

        int left() {
            return width - used;
        }

        Builder add(String raw, Tone tone) {
            String text = printable(raw);
            String fits = text.length() <= left() ? text : text.substring(0, left());
            if (!fits.isEmpty()) {
                parts.add(new Part(fits, tone));
                used += fits.length();
            }
            return this;
        }

        Builder add(String raw) {
            return add(raw, Tone.PLAIN);
        }

        Builder spaces(int count) {
            return add(" ".repeat(Math.max(0, count)));
        }

        /// A column of this width, aligned at the left.
        Builder column(String raw, int columns, Tone tone) {
            String text = shortened(printable(raw), columns);
            return add(text, tone).spaces(columns - text.length());
        }

        /// A column of this width, aligned at the right.
        Builder figures(String raw, int columns, Tone tone) {
            String text = shortened(printable(raw), columns);
            return spaces(columns - text.length()).add(text, tone);
        }

        private static String shortened(String text, int columns) {
            return text.length() <= columns
                    ? text
                    : text.substring(0, Math.max(0, columns - 1)) + (columns > 0 ? "…" : "");
        }

        Line line() {
            return new Line(List.copyOf(parts));
        }
    }
}

package wallfinder.live;

/// The characters of bars and sparklines. A terminal whose locale is not UTF-8 shows only ASCII.
public enum Glyphs {
    BLOCKS("▁▂▃▄▅▆▇█", '█', '░', '━', '┈', "·"),
    ASCII("_.-=+*%#", '#', '.', '=', '-', "|");

    private final String levels;
    private final char full;
    private final char empty;
    private final char done;
    private final char left;
    private final String dot;

    Glyphs(String levels, char full, char empty, char done, char left, String dot) {
        this.levels = levels;
        this.full = full;
        this.empty = empty;
        this.done = done;
        this.left = left;
        this.dot = dot;
    }

    String separator() {
        return " " + dot + " ";
    }

    String full(double share, int width) {
        return String.valueOf(full).repeat(cells(share, width));
    }

    String empty(double share, int width) {
        return String.valueOf(empty).repeat(width - cells(share, width));
    }

    String done(double share, int width) {
        return String.valueOf(done).repeat(cells(share, width));
    }

    String left(double share, int width) {
        return String.valueOf(left).repeat(width - cells(share, width));
    }

    /// A limit that is used at all has at least one cell, and only a full one has all.
    private static int cells(double share, int width) {
        if (!(share > 0)) {
            return 0;
        }
        int rounded = (int) Math.round(share * width);
        return share >= 1 ? width : Math.clamp(rounded, Math.min(1, width), Math.max(0, width - 1));
    }

    /// The last values of a course, from zero to its largest; a space where there is none.
    String sparkline(double[] values, int width) {
        int from = Math.max(0, values.length - width);
        double most = 0;
        for (int i = from; i < values.length; i++) {
            most = Double.isFinite(values[i]) ? Math.max(most, values[i]) : most;
        }
        StringBuilder line = new StringBuilder();
        for (int i = from; i < values.length; i++) {
            line.append(level(values[i], most));
        }
        return line.toString();
    }

    private char level(double value, double most) {
        if (!Double.isFinite(value)) {
            return ' ';
        }
        int top = levels.length() - 1;
        return levels.charAt(most > 0 ? (int) Math.round(value / most * top) : 0);
    }
}

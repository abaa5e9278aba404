package wallfinder.record;

import java.util.regex.Pattern;

/// Text for a terminal. Names and messages come from files, services and their logs: their control
/// characters could move the cursor, change the title or hide what follows, and their marks of
/// direction could reverse a line.
public final class Harmless {
    private static final Pattern UNSEEN = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");
    private static final Pattern UNSEEN_IN_LINES =
            Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}&&[^\n\t]]");

    private Harmless() {}

    /// One line: a space for each character that a terminal would not show as such.
    public static String line(String raw) {
        return UNSEEN.matcher(raw).replaceAll(" ");
    }

    /// The same, but the lines of a text stay lines.
    public static String lines(String raw) {
        return UNSEEN_IN_LINES.matcher(raw).replaceAll(" ");
    }
}

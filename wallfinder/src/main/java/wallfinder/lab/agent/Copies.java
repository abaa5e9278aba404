package wallfinder.lab.agent;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import wallfinder.linux.EnvironmentException;
import wallfinder.remote.RemoteProgram;
import wallfinder.remote.SshLink;
import wallfinder.remote.SshTarget;

/// The copies of this program that `--server` and `--generator` make.
public final class Copies {
    private static final Pattern COUNTS =
            Pattern.compile("(?<removed>\\d+) (?<kib>\\d+) (?<kept>\\d+) (?<folder>/.*)");

    private Copies() {}

    /// @return what was removed, for the user
    /// @throws EnvironmentException if the host does not answer or does not allow it, or if an
    ///   agent is at work there
    public static String removeFrom(SshTarget target) {
        try (SshLink link = SshLink.open(target, "true")) {
            SshLink.Program removal = link.start(RemoteProgram.REMOVAL);
            String printed = all(removal.process().getInputStream());
            return message(
                    printed, " on " + target, () -> link.whyEnded(removal, "it printed nothing"));
        }
    }

    /// The same for copies that other hosts made on this one, for this user.
    public static String removeHere() {
        try {
            Process removal =
                    new ProcessBuilder("/bin/sh", "-c", RemoteProgram.REMOVAL)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            String printed = all(removal.getInputStream());
            return message(printed, "", () -> "the reason is above");
        } catch (IOException e) {
            throw new EnvironmentException(
                    "the copies on this host cannot be removed",
                    String.valueOf(e.getMessage()),
                    "remove ~/.cache/wallfinder/agents by hand");
        }
    }

    private static String all(InputStream in) {
        try {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return "";
        }
    }

    private interface Reason {
        String why();
    }

    /// @param printed by [RemoteProgram#REMOVAL], perhaps after text of a login shell
    private static String message(String printed, String where, Reason reason) {
        Matcher counts =
                printed.lines()
                        .map(COUNTS::matcher)
                        .filter(Matcher::matches)
                        .reduce((_, last) -> last)
                        .orElseThrow(() ->
                                new EnvironmentException(
                                        "the copies%s cannot be removed".formatted(where),
                                        reason.why(),
                                        "remove ~/.cache/wallfinder/agents there by hand"));
        long removed = Long.parseLong(counts.group("removed"));
        long kept = Long.parseLong(counts.group("kept"));
        String folder = counts.group("folder");
        if (kept > 0) {
            throw new EnvironmentException(
                    "%d of the copies in %s%s remain".formatted(kept, folder, where),
                    "an agent is at work there, or this user may not remove them",
                    "try again when no run uses that host");
        }
        return removed == 0
                ? "there was no copy in %s%s".formatted(folder, where)
                : "removed %s%s (%d copies, %,d MB)"
                        .formatted(
                                folder, where, removed, Long.parseLong(counts.group("kib")) >> 10);
    }
}

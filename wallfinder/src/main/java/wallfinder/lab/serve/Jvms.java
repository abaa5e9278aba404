package wallfinder.lab.serve;

import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.UsageException;
import wallfinder.linux.EnvironmentException;
import wallfinder.record.JvmRow;
import wallfinder.sandbox.Jvm;

/// The JVMs that an experiment's `jvm:` can name.
public final class Jvms {
    private Jvms() {}

    /// All JVMs of this host, the newest first.
    public static List<JvmRow> onThisHost() {
        return Jvm.foundOnThisHost().stream()
                .map(found ->
                        new JvmRow(
                                found.jvm().major(),
                                found.jvm().version(),
                                found.jvm().vendor(),
                                found.jvm().home().toString(),
                                found.from(),
                                found.jvm().archives()))
                .toList();
    }

    /// The JVM that a command names. If it is missing, that is an error of the host, not of an
    /// experiment.
    ///
    /// @param asked a major version or a path; null for the JVM that runs this program
    static Jvm named(@Nullable String asked) {
        try {
            return Jvm.of(asked);
        } catch (UsageException missing) {
            throw new EnvironmentException(missing.what(), missing.why(), missing.todo());
        }
    }
}

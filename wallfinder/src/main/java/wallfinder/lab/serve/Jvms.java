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

    /// The newest first.
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

    /// The one that a command names. What an experiment asks for in vain is an error of the
    /// experiment; here it is the host that lacks something.
    ///
    /// @param asked a major version or a path; null for our own
    static Jvm named(@Nullable String asked) {
        try {
            return Jvm.of(asked);
        } catch (UsageException missing) {
            throw new EnvironmentException(missing.what(), missing.why(), missing.todo());
        }
    }
}

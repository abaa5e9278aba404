package wallfinder.lab;

import java.util.List;
import wallfinder.report.JvmRow;
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
}

package wallfinder.experiment;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A service under test, as the experiment describes it. Placeholders are still in the strings.
///
/// @param command split at blanks outside quotes, never given to a shell
/// @param jvm the major version or the path of the JVM that `{jvm}` stands for, or null for our own
/// @param cwd the folder it is started in, or null for the current one
public record ServiceSpec(
        String name,
        String command,
        @Nullable String jvm,
        Map<String, String> env,
        @Nullable String cwd,
        Limits limits,
        Readiness ready,
        Map<String, Knob> knobs) {}

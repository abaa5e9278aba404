package wallfinder.experiment;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A service under test, as the experiment describes it. Placeholders are still in the strings.
///
/// @param command split at blanks outside quotes, never given to a shell
/// @param jvm the major version or the path of the JVM that `{jvm}` stands for, or null for our own
/// @param readyWithin it has failed if it is not ready by then
/// @param cwd the folder it is started in, or null for the current one
public record ServiceSpec(
        String name,
        String command,
        @Nullable String jvm,
        Map<String, String> env,
        @Nullable String cwd,
        Limits limits,
        Readiness ready,
        Duration readyWithin,
        Map<String, Knob> knobs) {
    /// How long a service may take to get ready, where nothing else is asked.
    public static final Duration READY_WITHIN_DEFAULT = Duration.ofMinutes(2);

    /// The same, started in another way.
    public ServiceSpec with(
            String otherCommand, @Nullable String otherJvm, Map<String, String> otherEnv) {
        return with(otherCommand, otherJvm, Map.copyOf(otherEnv), limits, knobs);
    }

    ServiceSpec with(Limits otherLimits) {
        return with(command, jvm, env, otherLimits, knobs);
    }

    ServiceSpec with(Map<String, Knob> otherKnobs) {
        return with(command, jvm, env, limits, otherKnobs);
    }

    private ServiceSpec with(
            String otherCommand,
            @Nullable String otherJvm,
            Map<String, String> otherEnv,
            Limits otherLimits,
            Map<String, Knob> otherKnobs) {
        return new ServiceSpec(
                name,
                otherCommand,
                otherJvm,
                otherEnv,
                cwd,
                otherLimits,
                ready,
                readyWithin,
                otherKnobs);
    }
}

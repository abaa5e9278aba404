package wallfinder.experiment;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A service of an experiment. The strings may contain placeholders.
///
/// @param command split at spaces outside quotes; no shell is involved
/// @param jvm the major version or the path of the JVM for `{jvm}`, or null for our own
/// @param readyWithin the maximum time until it is ready
/// @param cwd its working directory, or null for ours
/// @param user the name or number of the user that it runs as, or null for ours
/// @param host the other host where it runs, as `ssh:[USER@]HOST`, or null for this one
public record ServiceSpec(
        String name,
        String command,
        @Nullable String jvm,
        Map<String, String> env,
        @Nullable String cwd,
        @Nullable String user,
        @Nullable String host,
        Limits limits,
        Readiness ready,
        Duration readyWithin,
        Map<String, Knob> knobs) {
    public static final Duration READY_WITHIN_DEFAULT = Duration.ofMinutes(2);

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

    /// The same service on another host.
    ServiceSpec on(String otherHost) {
        return new ServiceSpec(
                name, command, jvm, env, cwd, user, otherHost, limits, ready, readyWithin, knobs);
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
                user,
                host,
                otherLimits,
                ready,
                readyWithin,
                otherKnobs);
    }
}

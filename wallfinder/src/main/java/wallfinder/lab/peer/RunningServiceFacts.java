package wallfinder.lab.peer;

import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import wallfinder.observation.JvmFacts;
import wallfinder.observation.SandboxFacts;
import wallfinder.sandbox.RunningJvm;

/// Facts of services that somebody else has started.
final class RunningServiceFacts {
    private RunningServiceFacts() {}

    /// @param pid the one it is told by
    /// @param processes all of it, the first JVM of which is told
    static SandboxFacts.ServiceFacts facts(
            String name, long pid, List<Integer> listens, long[] processes) {
        JvmFacts runtime = RunningJvm.of(Arrays.stream(processes).boxed().toList()).orElse(null);
        return new SandboxFacts.ServiceFacts(
                name,
                pid,
                listens,
                new TreeMap<>(),
                runtime == null ? null : runtime.version(),
                runtime);
    }
}

package wallfinder.lab.trial;

import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.peer.ServerSide;
import wallfinder.load.LoadPlan;
import wallfinder.observation.Reader;
import wallfinder.observation.SandboxFacts;
import wallfinder.profiling.CpuProfiling;
import wallfinder.profiling.CpuProfiling.Samples;
import wallfinder.profiling.Profiling;
import wallfinder.sandbox.RunningJvm;

/// The place where a load runs: its services, their settings, and the readers of both ends.
public sealed interface Testbed extends AutoCloseable permits SandboxTestbed, HostTestbed {
    /// The engine's plan for this number of connections.
    LoadPlan plan(LoadSpec.Http http, int connections);

    /// The load with an address in place of each placeholder.
    LoadSpec.Http filled(LoadSpec.Http http);

    /// New readers of both ends. The caller closes them.
    List<Reader> readers();

    /// New readers of the services' CPU time; none if they are hidden. The caller closes them.
    List<Reader> serviceReaders();

    /// The services' processes, without their descendants; none if they are hidden or elsewhere.
    long[] processes();

    /// Begins to profile the services, wherever they run.
    default Profiling profiling(Samples samples) {
        ServerSide server = serverSide();
        return server == null
                ? CpuProfiling.start(processes(), RunningJvm::major, samples)
                : server.profiling(samples);
    }

    SandboxFacts facts();

    /// How many CPUs the services may run on.
    int serverCpus();

    /// Who watches the services on another host, or null.
    default @Nullable ServerSide serverSide() {
        return null;
    }

    /// What was set, without the load: knobs, limits, kernel settings.
    SortedMap<String, String> factors();

    @Override
    void close();
}

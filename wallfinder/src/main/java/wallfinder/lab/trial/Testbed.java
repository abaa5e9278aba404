package wallfinder.lab.trial;

import java.util.List;
import java.util.SortedMap;
import wallfinder.experiment.LoadSpec;
import wallfinder.load.LoadPlan;
import wallfinder.observation.Reader;
import wallfinder.observation.SandboxFacts;

/// The place where a load runs: its services, their settings, and the readers of both ends.
sealed interface Testbed extends AutoCloseable permits SandboxTestbed, HostTestbed {
    /// How the engine drives so many connections here.
    LoadPlan plan(LoadSpec.Http http, int connections);

    /// Readers of both ends, made anew for each measurement and closed by it.
    List<Reader> readers();

    /// Readers of the services' processes and JVMs alone, closed by whoever asked for them; none if
    /// no process can be seen.
    List<Reader> serviceReaders();

    SandboxFacts facts();

    /// What was set, beside the load: knobs, limits, kernel settings.
    SortedMap<String, String> factors();

    @Override
    void close();
}

package wallfinder.lab.peer;

import java.util.BitSet;
import java.util.List;
import wallfinder.observation.Caveat;
import wallfinder.observation.Reader;
import wallfinder.observation.SandboxFacts;

/// What a watch looks at: services that run on this host.
public interface Watched extends AutoCloseable {
    /// `nginx, process 4711`.
    String describe();

    /// The name of the first service, as in its counters.
    String name();

    /// The ports with listeners.
    List<Integer> ports();

    /// The first processes.
    long[] processes();

    BitSet cpus();

    /// Whether they have ended for good.
    ///
    /// @param anyProcess whether the first one had a process at the latest sample
    boolean ended(boolean anyProcess);

    /// New readers of everything that can be read. The caller closes them.
    List<Reader> readers();

    /// Adds a doubt to the facts.
    void doubt(Caveat caveat);

    SandboxFacts facts();

    @Override
    void close();
}

package wallfinder.lab.trial;

import java.util.List;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Reader;
import wallfinder.observation.SandboxFacts;

/// Both ends of held connections: their readers, and the sockets that the kernel counts there.
interface ConnectionEnds {
    /// All that can be read of both, made anew for each measurement and closed by it.
    List<Reader> readers();

    SandboxFacts facts();

    /// How many connections to these ports the kernel has, at each end whose kernel can be asked.
    ///
    /// @param port the first port of the service
    /// @param ports how many from that one on
    List<LoadOutcome.Sockets> established(int port, int ports);
}

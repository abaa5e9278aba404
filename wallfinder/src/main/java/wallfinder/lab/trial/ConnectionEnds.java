package wallfinder.lab.trial;

import java.util.List;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Reader;
import wallfinder.observation.SandboxFacts;

/// Both ends of held connections: their readers, and the kernel's number of sockets.
interface ConnectionEnds {
    /// New readers of both ends. The caller closes them.
    List<Reader> readers();

    SandboxFacts facts();

    /// How many CPUs the services may run on.
    int serverCpus();

    /// The number of established connections to these ports, at each end whose kernel can be asked.
    ///
    /// @param port the first port of the service
    /// @param ports the number of ports
    List<LoadOutcome.Sockets> established(int port, int ports);
}

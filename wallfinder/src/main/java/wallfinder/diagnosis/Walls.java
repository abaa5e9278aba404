package wallfinder.diagnosis;

import java.util.List;

/// All the walls that can be named, in the order in which they are told when several bind: what can
/// be moved comes before the CPU, which is where every service ends that nothing else stops.
public final class Walls {
    public static final List<Wall> ALL =
            List.of(
                    new LoadGenerator(),
                    new ConnectionChurn(),
                    new EphemeralPorts(),
                    new FileDescriptors(),
                    new MemoryLimit(),
                    new ThreadLimit(),
                    new ConntrackTable(),
                    new TcpMemory(),
                    new SoftnetBacklog(),
                    new AcceptQueue(),
                    new SynQueue(),
                    new TimeWaitBuckets(),
                    new PageCache(),
                    new NameLookup(),
                    new CpuQuota(),
                    new Heap(),
                    new Gc(),
                    new CarrierPinning(),
                    new LoadShedding(),
                    new ClientConnections(),
                    new ServerConcurrency(),
                    new Cpu());

    private Walls() {}
}

package wallfinder.lab.peer;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import wallfinder.experiment.Limits;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.SockDiag;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.Reader;
import wallfinder.observation.SandboxFacts;
import wallfinder.sampling.Listeners;
import wallfinder.sampling.LocalPortRange;
import wallfinder.sampling.WatchedEnd;
import wallfinder.sampling.WatchedProgram;
import wallfinder.sandbox.ForeignCgroup;
import wallfinder.sandbox.Residence;

/// A service that runs already, here or in a container of this host, and all that can be read of it
/// from outside. Nothing of it is changed.
public final class WatchedService implements AutoCloseable {
    private static final Path PROC_SYS_NET = Path.of("/proc/sys/net");

    private final String name;
    private final Residence residence;
    private final Supplier<long[]> processes;
    private final Optional<ForeignCgroup> cgroup;
    private final boolean wholeCgroup;
    private final long pid;
    private final SockDiag sockets;
    private final List<Integer> ports;
    private final BitSet cpus;
    private final SortedMap<String, String> sysctls;
    private final List<Caveat> caveats = new ArrayList<>();

    private WatchedService(long pid, ForeignCgroup group, Residence residence) {
        this.pid = pid;
        this.residence = residence;
        this.wholeCgroup = true;
        this.name = group.name().replaceAll("[^A-Za-z0-9._-]+", "_");
        this.cgroup = Optional.of(group);
        this.processes = group::processes;
        this.sockets = residence.inside(SockDiag::open);
        this.ports = Listeners.portsOf(sockets, processes.get());
        this.cpus = residence.cpus();
        this.sysctls = residence.sysctls();
    }

    private WatchedService(long pid, Residence residence) {
        this.pid = pid;
        this.residence = residence;
        this.wholeCgroup = false;
        this.name = residence.name();
        this.cgroup = ForeignCgroup.of(pid);
        this.processes = () -> new long[] {pid};
        this.sockets = residence.inside(SockDiag::open);
        this.ports = Listeners.portsOf(sockets, processes.get());
        this.cpus = residence.cpus();
        this.sysctls = residence.sysctls();
    }

    /// Finds it.
    ///
    /// @throws wallfinder.experiment.UsageException if there is none of that name
    /// @throws EnvironmentException if nothing runs there, or it may not be looked at
    static WatchedService of(WatchSubject subject) {
        return switch (subject) {
            case WatchSubject.OfPid of -> ofPid(of.pid());
            case WatchSubject.OfPort of -> ofPid(listener(of.port()));
            case WatchSubject.OfCgroup of -> ofCgroup(ForeignCgroup.at(of.path()));
        };
    }

    public static WatchedService ofPid(long pid) {
        Residence residence = Residence.of(pid);
        try {
            return new WatchedService(pid, residence);
        } catch (RuntimeException | Error e) {
            residence.close();
            throw e;
        }
    }

    private static WatchedService ofCgroup(ForeignCgroup group) {
        long[] processes = group.processes();
        if (processes.length == 0) {
            throw new EnvironmentException(
                    "the cgroup " + group.folders().getFirst() + " cannot be watched",
                    "no process is in it",
                    "start the service first, or name the group that its processes are in: cat"
                            + " /proc/PID/cgroup");
        }
        Residence residence = Residence.of(processes[0]);
        try {
            return new WatchedService(processes[0], group, residence);
        } catch (RuntimeException | Error e) {
            residence.close();
            throw e;
        }
    }

    private static long listener(int port) {
        return switch (Listeners.ownerOf(port)) {
            case Listeners.Owner.Found found -> found.pid();
            case Listeners.Owner.Unknown unknown ->
                    throw new EnvironmentException(
                            "port " + port + " cannot be watched",
                            unknown.reason(),
                            "see ss -ltnp; name a service in a container by --pid or --cgroup");
        };
    }

    /// `nginx, process 4711`.
    String describe() {
        return wholeCgroup
                ? "cgroup %s, %d processes".formatted(name, processes.get().length)
                : "%s, process %d".formatted(name, pid);
    }

    String name() {
        return name;
    }

    List<Integer> ports() {
        return ports;
    }

    /// Whether it listens on a port of a range.
    public boolean listensWithin(int portMin, int portMax) {
        return ports.stream().anyMatch(port -> port >= portMin && port <= portMax);
    }

    /// The connections that its kernel has established on ports of a range.
    public long established(int portMin, int portMax) {
        return sockets.established(SockDiag.PortOf.THIS_END, portMin, portMax);
    }

    public BitSet cpus() {
        return (BitSet) cpus.clone();
    }

    /// Whether there is nothing left that could come back: a group may get new processes.
    boolean ended(boolean anyProcess) {
        return !anyProcess && (!wholeCgroup || !cgroup.orElseThrow().exists());
    }

    /// All that can be read, made anew for a watch and closed by it.
    public List<Reader> readers() {
        // On the host's network the ports are everybody's.
        LocalPortRange range =
                residence.ownNetwork()
                        ? residence.inside(() -> LocalPortRange.read(PROC_SYS_NET))
                        : null;
        WatchedEnd.Network network =
                new WatchedEnd.Network(End.SERVER, residence.procNet(), cpus());
        return new WatchedEnd.Server(network, sockets, ports, range, List.of(program())).readers();
    }

    /// Those of a service that no network leads to.
    public List<Reader> processReaders() {
        return new WatchedEnd.Programs(End.SERVER, cpus(), List.of(program())).readers();
    }

    /// Those of its CPU time.
    public List<Reader> cpuReaders() {
        return program().cpuReaders();
    }

    private WatchedProgram program() {
        return new WatchedProgram.Found(name, processes, pid, cgroup.map(ForeignCgroup::dirs));
    }

    void doubt(Caveat caveat) {
        caveats.add(caveat);
    }

    public SandboxFacts.ServiceFacts identity() {
        return RunningServiceFacts.facts(name, pid, ports, processes.get());
    }

    SandboxFacts facts() {
        return new SandboxFacts(
                residence.ownNetwork() ? "namespaces" : "host",
                sysctls,
                new TreeMap<>(),
                cpus.cardinality(),
                0,
                false,
                Limits.NONE,
                true,
                List.of(identity()),
                List.copyOf(caveats));
    }

    @Override
    public void close() {
        sockets.close();
        residence.close();
    }
}

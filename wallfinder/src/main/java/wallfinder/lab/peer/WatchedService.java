package wallfinder.lab.peer;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Limits;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.PortOf;
import wallfinder.linux.SockDiag;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.End;
import wallfinder.observation.JvmFacts;
import wallfinder.observation.Reader;
import wallfinder.observation.SandboxFacts;
import wallfinder.sampling.HiddenThreads;
import wallfinder.sampling.Listeners;
import wallfinder.sampling.LocalPortRange;
import wallfinder.sampling.ServiceCpus;
import wallfinder.sampling.WatchedEnd;
import wallfinder.sampling.WatchedProgram;
import wallfinder.sandbox.CpuPlan;
import wallfinder.sandbox.ForeignCgroup;
import wallfinder.sandbox.Residence;
import wallfinder.sandbox.RunningJvm;

/// A running service, on this host or in one of its containers, and everything about it that can be
/// read from outside. Wallfinder changes nothing of the service.
public final class WatchedService implements Watched {
    private static final Path PROC_SYS_NET = Path.of("/proc/sys/net");

    private final String name;
    private final Residence residence;
    private final Supplier<long[]> processes;
    private final Optional<ForeignCgroup> cgroup;
    private final boolean wholeCgroup;
    private final long pid;
    private final SockDiag sockets;
    private final Listeners.Places places;
    private final BitSet cpus;
    private final SortedMap<String, String> sysctls;
    private final List<Caveat> caveats = new ArrayList<>();

    /// @param group the cgroup to watch, or null for one process
    private WatchedService(long pid, @Nullable ForeignCgroup group, Residence residence) {
        this.pid = pid;
        this.residence = residence;
        this.wholeCgroup = group != null;
        this.name =
                group == null ? residence.name() : group.name().replaceAll("[^A-Za-z0-9._-]+", "_");
        this.cgroup = group == null ? ForeignCgroup.of(pid) : Optional.of(group);
        this.processes = group == null ? () -> new long[] {pid} : group::processes;
        this.sockets = residence.inside(SockDiag::open);
        this.places = Listeners.placesOf(sockets, processes.get());
        BitSet itsCpus = ServiceCpus.of(sockets, processes.get());
        this.cpus = itsCpus.isEmpty() ? CpuPlan.allowed() : itsCpus; // it has just ended
        this.sysctls = residence.sysctls();
        if (HiddenThreads.of(pid)) {
            caveats.add(Doubt.THREADS_HIDDEN.about(name, name, HiddenThreads.why()));
        }
    }

    /// @throws wallfinder.experiment.UsageException if there is no such cgroup
    /// @throws EnvironmentException if no process runs there, or this user may not watch it
    static WatchedService of(WatchSubject subject) {
        return switch (subject) {
            case WatchSubject.OfPid of -> ofPid(of.pid());
            case WatchSubject.OfPort of -> ofPid(listener(of.port()));
            case WatchSubject.OfCgroup of -> ofCgroup(ForeignCgroup.at(of.path()));
            case WatchSubject.OfPod of -> ofCgroup(ForeignCgroup.ofPod(of.name(), of.uid()));
        };
    }

    public static WatchedService ofPid(long pid) {
        return of(pid, null);
    }

    private static WatchedService ofCgroup(ForeignCgroup group) {
        long[] processes = group.processes();
        if (processes.length == 0) {
            throw new EnvironmentException(
                    "the cgroup " + group.folders().getFirst() + " cannot be watched",
                    "it contains no process",
                    "start the service first, or name the group of its processes: cat"
                            + " /proc/PID/cgroup");
        }
        return of(processes[0], group);
    }

    private static WatchedService of(long pid, @Nullable ForeignCgroup group) {
        Residence residence = Residence.of(pid);
        try {
            return new WatchedService(pid, group, residence);
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

    @Override
    public String describe() {
        return wholeCgroup
                ? "cgroup %s, %d processes".formatted(name, processes.get().length)
                : "%s, process %d".formatted(name, pid);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<Integer> ports() {
        return places.ports();
    }

    @Override
    public long[] processes() {
        return processes.get();
    }

    /// Whether it listens on a port of a range.
    public boolean listensWithin(int portMin, int portMax) {
        return ports().stream().anyMatch(port -> port >= portMin && port <= portMax);
    }

    /// The number of established connections on a range of ports, by the service's kernel.
    public long established(int portMin, int portMax) {
        return sockets.established(PortOf.THIS_END, portMin, portMax);
    }

    /// Whether its network namespace differs from ours.
    public boolean ownNetwork() {
        return residence.ownNetwork();
    }

    /// The kernel settings in force in its namespace.
    public SortedMap<String, String> sysctls() {
        return new TreeMap<>(sysctls);
    }

    @Override
    public BitSet cpus() {
        return (BitSet) cpus.clone();
    }

    /// A cgroup that still exists may get new processes.
    @Override
    public boolean ended(boolean anyProcess) {
        return !anyProcess && (!wholeCgroup || !cgroup.orElseThrow().exists());
    }

    @Override
    public List<Reader> readers() {
        LocalPortRange range = residence.inside(() -> LocalPortRange.read(PROC_SYS_NET));
        WatchedEnd.Network network =
                new WatchedEnd.Network(End.SERVER, residence.procNet(), cpus());
        return new WatchedEnd.Server(
                        network,
                        sockets,
                        places,
                        range,
                        !residence.ownNetwork(),
                        List.of(program()))
                .readers();
    }

    /// Readers of a service that listens on no network.
    public List<Reader> processReaders() {
        return new WatchedEnd.Programs(End.SERVER, cpus(), List.of(program())).readers();
    }

    /// Readers of the service's CPU time.
    public List<Reader> cpuReaders() {
        return program().cpuReaders();
    }

    private WatchedProgram program() {
        return new WatchedProgram.Found(name, processes, pid, cgroup.map(ForeignCgroup::dirs));
    }

    @Override
    public void doubt(Caveat caveat) {
        caveats.add(caveat);
    }

    public List<Caveat> caveats() {
        return List.copyOf(caveats);
    }

    public SandboxFacts.ServiceFacts identity() {
        JvmFacts runtime =
                RunningJvm.of(Arrays.stream(processes.get()).boxed().toList()).orElse(null);
        return new SandboxFacts.ServiceFacts(
                name,
                pid,
                ports(),
                Listeners.unixSocketsOf(sockets, processes.get()),
                new TreeMap<>(),
                runtime == null ? null : runtime.version(),
                runtime);
    }

    @Override
    public SandboxFacts facts() {
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
                caveats());
    }

    @Override
    public void close() {
        sockets.close();
        residence.close();
    }
}

package wallfinder.sandbox;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Readiness;
import wallfinder.experiment.SandboxSpec;
import wallfinder.experiment.ServiceSpec;
import wallfinder.linux.Processes;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.End;

/// Where a trial runs: two ends, each in its own network namespace, joined by a veth pair, with the
/// kernel settings and the services of the experiment. If namespaces are not permitted, both ends
/// use the host's loopback, and a caveat says so. The sandbox changes nothing on the host.
public final class Sandbox implements AutoCloseable {
    /// The server's kernel keeps a neighbour entry for each, and has at most 1,024 (`gc_thresh3`).
    public static final int SOURCE_ADDRESSES_MAX = 512;

    static final int SOURCE_ADDRESSES = 64;

    private final SandboxSpec spec;
    private final Path folder;
    private final RunLock run;
    private final CpuPlan cpus;
    private final Network network;
    private final CgroupHost cgroups;
    private final List<Caveat> caveats = new ArrayList<>();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final ExecutorService starter;
    private boolean closed;

    private Sandbox(SandboxSpec spec, Network network, RunLock run, Path folder, CpuPlan cpus) {
        this.spec = spec;
        this.network = network;
        this.run = run;
        this.folder = folder;
        this.cpus = cpus;
        this.cgroups = CgroupHost.ofThisHost();
        // A service dies with the thread that started it, so one thread starts all of them.
        this.starter =
                Executors.newSingleThreadExecutor(
                        Thread.ofPlatform().name("service-starter").daemon().factory());
        caveats.addAll(run.caveats());
        caveats.addAll(network.caveats());
        if (cgroups instanceof CgroupHost.None none) {
            caveats.add(Doubt.NO_CGROUPS.caveat(none.why()));
        }
        open.push(network);
    }

    /// Creates the two ends.
    ///
    /// @param run its lock; the caller holds it for as long as the run lives
    /// @param folder for the services' logs
    /// @throws wallfinder.experiment.UsageException if a sysctl does not exist or refuses its value
    /// @throws wallfinder.linux.EnvironmentException if the host does not permit the sandbox
    public static Sandbox open(SandboxSpec spec, RunLock run, Path folder, CpuPlan cpus) {
        return open(spec, run, folder, cpus, null);
    }

    /// The same, for one end of a sandbox on two hosts, which has all CPUs of its host.
    public static Sandbox open(SandboxSpec spec, RunLock run, Path folder, TwoHosts hosts) {
        return open(spec, run, folder, CpuPlan.whole(), hosts);
    }

    private static Sandbox open(
            SandboxSpec spec, RunLock run, Path folder, CpuPlan cpus, @Nullable TwoHosts hosts) {
        Sandbox sandbox = new Sandbox(spec, Network.open(spec, hosts), run, folder, cpus);
        AtExit.add(sandbox);
        return sandbox;
    }

    /// Checks the limits of services before anything is created for them.
    ///
    /// @throws wallfinder.linux.EnvironmentException if this host does not let us set one of them
    public static void checkLimits(List<ServiceSpec> services) {
        CgroupHost host = CgroupHost.ofThisHost();
        services.forEach(service -> Cgroup.checkLimits(host, service.name(), service.limits()));
    }

    /// `namespaces`, `user-namespaces` or `host`. Whether both ends are on the host's network.
    public boolean shared() {
        return network instanceof HostNetwork;
    }

    public String isolation() {
        return network.isolation();
    }

    /// The doubts about every measurement in this sandbox.
    public List<Caveat> caveats() {
        return List.copyOf(caveats);
    }

    /// Moves the calling platform thread into an end's namespace for the rest of its life.
    public void enter(End end) {
        network.enter(end);
    }

    /// Runs work on a new thread inside and waits for the result.
    public <T extends @Nullable Object> T inside(End end, Callable<T> work) {
        return network.inside(end, work);
    }

    /// The end's folder of network counters, readable from any thread.
    public Path procNet(End end) {
        return network.procNet(end);
    }

    /// A thread in the end's namespace, which `nsenter -t TID -n` enters.
    public long holderTid(End end) {
        return network.holderTid(end);
    }

    /// The addresses that the client may connect from, without any added ones.
    public List<InetAddress> sourceAddresses() {
        return network.sourceAddresses(SOURCE_ADDRESSES);
    }

    /// A number of addresses that the client may connect from. Adds the missing ones.
    ///
    /// @param count at most [#SOURCE_ADDRESSES_MAX]
    public List<InetAddress> sourceAddresses(int count) {
        if (count > SOURCE_ADDRESSES_MAX) {
            throw new IllegalArgumentException(count + " source addresses");
        }
        return network.sourceAddresses(count);
    }

    /// The kernel settings in force at an end: those of the experiment and a fixed list.
    public SortedMap<String, String> sysctls(End end) {
        return network.sysctls(end);
    }

    /// The largest limits that this host has for a service; null where they are unknown.
    public Limits most() {
        double cpuCount = cpus.server().cardinality();
        HostMemory memory = HostMemory.read();
        Long memoryBytes = memory == null ? null : memory.availableBytes();
        return new Limits(
                Processes.descriptorsMax(), null, memoryBytes, cpuCount, null, null, null);
    }

    public CpuPlan cpus() {
        return cpus;
    }

    /// The values of an experiment's placeholders: the given ones, `{server}` and `{client}`.
    public SortedMap<String, String> names(Map<String, String> given) {
        SortedMap<String, String> names = new TreeMap<>(given);
        names.put("server", network.address(End.SERVER));
        names.put("client", network.address(End.CLIENT));
        return names;
    }

    /// Starts a service at the server's end without waiting, so that it can be observed from its
    /// first moment on. Call [#awaitReady] next.
    public Service begin(ServiceSpec spec, Map<String, String> given) {
        Readiness ready = readiness(spec, given);
        network.inside(
                End.SERVER,
                () -> {
                    ReadinessProbe.checkFree(spec.name(), ready);
                    return true;
                });
        return launch(End.SERVER, spec, given);
    }

    /// Waits until a started service is ready. A service that does not get ready keeps running.
    ///
    /// @param stop polled; true ends the waiting
    /// @throws java.util.concurrent.CancellationException if `stop` ended the waiting
    /// @throws wallfinder.linux.EnvironmentException if the service ended, or took too long
    public void awaitReady(
            Service service, ServiceSpec spec, Map<String, String> given, BooleanSupplier stop) {
        ReadinessProbe probe = new ReadinessProbe(readiness(spec, given), service.output());
        network.inside(
                End.SERVER,
                () -> {
                    service.awaitReady(probe, spec.readyWithin(), stop);
                    return true;
                });
    }

    private Readiness readiness(ServiceSpec spec, Map<String, String> given) {
        return ReadinessProbe.expanded(spec.ready(), ServiceStart.names(spec, names(given)));
    }

    /// Starts a program without waiting until it is ready, such as a load command.
    public synchronized Service launch(End end, ServiceSpec service, Map<String, String> given) {
        if (closed) {
            throw new IllegalStateException("the sandbox is closed");
        }
        ServiceStart start =
                new ServiceStart(
                        service,
                        ServiceStart.names(service, names(given)),
                        folder,
                        network.namespaceFile(end),
                        end.word(),
                        spec.resolver(end == End.SERVER),
                        cpus.of(end));
        try {
            Service started =
                    CompletableFuture.supplyAsync(() -> start.run(cgroups, run), starter).join();
            open.push(started);
            return started;
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /// Stops the services in reverse order and removes everything. May be called again.
    @Override
    public synchronized void close() {
        AtExit.remove(this);
        closed = true;
        RuntimeException failure = null;
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (RuntimeException e) {
                failure = e;
            } catch (Exception e) {
                failure = new IllegalStateException(e);
            }
        }
        starter.shutdown();
        if (failure != null) {
            throw failure;
        }
    }
}

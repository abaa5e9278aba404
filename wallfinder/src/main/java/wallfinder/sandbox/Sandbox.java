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

/// Where a trial runs: two ends, each with a network namespace of its own, joined by a virtual
/// link, with the kernel settings and the services of the experiment. Where namespaces are not
/// permitted, both ends are the host's loopback, which is said as a caveat. Nothing on the host is
/// changed.
public final class Sandbox implements AutoCloseable {
    /// The server's kernel keeps a neighbour for each, of which a host has 1,024 (`gc_thresh3`).
    public static final int SOURCE_ADDRESSES_MAX = 512;

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
        // One thread for as long as the sandbox lives: a service dies with the thread it started
        // on.
        this.starter =
                Executors.newSingleThreadExecutor(
                        Thread.ofPlatform().name("service-starter").daemon().factory());
        caveats.addAll(network.caveats());
        if (cgroups instanceof CgroupHost.None none) {
            caveats.add(Doubt.NO_CGROUPS.caveat(none.why()));
        }
        open.push(network);
    }

    /// Makes the two ends, after sweeping what dead runs have left.
    ///
    /// @param run held by the caller for as long as the run lives
    /// @param folder where the services' logs go
    /// @throws wallfinder.experiment.UsageException if a sysctl does not exist or refuses its value
    /// @throws wallfinder.linux.EnvironmentException if the host does not allow what is asked
    public static Sandbox open(SandboxSpec spec, RunLock run, Path folder, CpuPlan cpus) {
        Leftovers.Swept swept = Leftovers.sweep();
        Sandbox sandbox = new Sandbox(spec, Network.open(spec), run, folder, cpus);
        swept.failures().forEach(failure -> sandbox.caveats.add(Doubt.LEFTOVERS.caveat(failure)));
        AtExit.add(sandbox);
        return sandbox;
    }

    /// Before anything is made for them.
    ///
    /// @throws wallfinder.linux.EnvironmentException if this host lets us set no such limits as one
    ///   of the services is to have
    public static void checkLimits(List<ServiceSpec> services) {
        CgroupHost host = CgroupHost.ofThisHost();
        services.forEach(service -> Cgroup.checkLimits(host, service.name(), service.limits()));
    }

    /// `namespaces`, `user-namespaces` or `host`.
    public String isolation() {
        return network.isolation();
    }

    /// What has to be said of every figure that is taken here.
    public List<Caveat> caveats() {
        return List.copyOf(caveats);
    }

    /// Puts the calling platform thread into an end's namespace, for good.
    public void enter(End end) {
        network.enter(end);
    }

    /// Runs work on a fresh thread inside and waits for it.
    public <T extends @Nullable Object> T inside(End end, Callable<T> work) {
        return network.inside(end, work);
    }

    /// The end's folder of network counters, readable from any thread.
    public Path procNet(End end) {
        return network.procNet(end);
    }

    /// A thread that lives in the end's namespace: `nsenter -t TID -n` shows what is there.
    public long holderTid(End end) {
        return network.holderTid(end);
    }

    /// The addresses that the client may connect from.
    public List<InetAddress> sourceAddresses() {
        return network.sourceAddresses();
    }

    /// So many addresses that the client may connect from; what is missing is added.
    ///
    /// @param count at most [#SOURCE_ADDRESSES_MAX]
    public List<InetAddress> sourceAddresses(int count) {
        if (count > SOURCE_ADDRESSES_MAX) {
            throw new IllegalArgumentException(count + " source addresses");
        }
        return network.sourceAddresses(count);
    }

    /// The kernel settings in force at an end: those asked for and those that are always recorded.
    public SortedMap<String, String> sysctls(End end) {
        return network.sysctls(end);
    }

    /// What a service can be given here; null where that is not known.
    public Limits most() {
        double cpuCount = cpus.server().cardinality();
        HostMemory memory = HostMemory.read();
        Long memoryBytes = memory == null ? null : memory.availableBytes();
        return new Limits(Processes.descriptorsMax(), null, memoryBytes, cpuCount, null, null);
    }

    /// Where the CPUs go.
    public CpuPlan cpus() {
        return cpus;
    }

    /// What the placeholders of an experiment stand for here: the caller's names, `{server}` and
    /// `{client}`.
    public SortedMap<String, String> names(Map<String, String> given) {
        SortedMap<String, String> names = new TreeMap<>(given);
        names.put("server", network.address(End.SERVER));
        names.put("client", network.address(End.CLIENT));
        return names;
    }

    /// Starts a service at the server's end and waits for nothing, so that it can be looked at from
    /// its first moment on. [#awaitReady] comes next.
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

    /// Waits until a service that was begun is ready. It is not stopped if it does not get so.
    ///
    /// @param stop asked again and again; true ends the waiting
    /// @throws java.util.concurrent.CancellationException if it was ended so
    /// @throws wallfinder.linux.EnvironmentException if it ended, or its time is over
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

    /// Starts a command without waiting for its readiness, such as a load.
    public synchronized Service launch(End end, ServiceSpec service, Map<String, String> given) {
        if (closed) {
            throw new IllegalStateException("the sandbox has ended");
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

    /// Stops the services in reverse order and removes all that was made. Safe to call again.
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

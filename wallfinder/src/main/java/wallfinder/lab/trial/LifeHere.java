package wallfinder.lab.trial;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.ServiceSpec;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.Timeline;
import wallfinder.sampling.JvmCensus;
import wallfinder.sampling.Sampler;
import wallfinder.sandbox.Service;

/// A service of a sandbox on this host.
final class LifeHere implements Life, AutoCloseable {
    /// Short, because starts have short peaks.
    private static final Duration INTERVAL = Duration.ofMillis(50);

    private final Service service;
    private final Sampler sampler;
    private final @Nullable EnvironmentException notReady;
    private final @Nullable LiveHeap heap;

    private LifeHere(
            Service service,
            Sampler sampler,
            @Nullable EnvironmentException notReady,
            @Nullable LiveHeap heap) {
        this.service = service;
        this.sampler = sampler;
        this.notReady = notReady;
        this.heap = heap;
    }

    /// Starts all services, each when the one before is ready.
    ///
    /// @throws EnvironmentException if another service does not get ready, though this one runs
    static LifeHere start(SandboxTestbed testbed, Experiment experiment, Inspection inspection) {
        List<ServiceSpec> all = experiment.services();
        ServiceSpec spec = experiment.service(inspection.life());
        int place = all.indexOf(spec);
        start(testbed, all.subList(0, place));
        Service started = testbed.begin(spec);
        Sampler sampler = Sampler.start(testbed.readersOf(started), INTERVAL);
        try {
            try {
                testbed.awaitReady(spec, started);
            } catch (EnvironmentException e) {
                return new LifeHere(started, sampler, e, null);
            }
            try {
                start(testbed, all.subList(place + 1, all.size()));
            } catch (EnvironmentException e) {
                if (started.alive()) {
                    throw e;
                }
                // Its limit may have killed it when another service called it.
                return new LifeHere(started, sampler, e, null);
            }
            LiveHeap heap = inspection.census() ? new LiveHeap(started.pids()) : null;
            return new LifeHere(started, sampler, null, heap);
        } catch (RuntimeException | Error e) {
            sampler.close();
            throw e;
        }
    }

    private static void start(SandboxTestbed testbed, List<ServiceSpec> services) {
        for (ServiceSpec spec : services) {
            testbed.awaitReady(spec, testbed.begin(spec));
        }
    }

    @Override
    public @Nullable EnvironmentException notReady() {
        return notReady;
    }

    @Override
    public Lived end() {
        double loadedBytes = heap == null ? Double.NaN : heap.mostBytes();
        Timeline timeline = sampler.stop();
        JvmCensus census =
                heap == null
                        ? null
                        : JvmCensus.of(service.pids())
                                .map(found -> found.withLoadedBytes(loadedBytes))
                                .orElse(null);
        return new Lived(timeline, census);
    }

    @Override
    public void close() {
        if (heap != null) {
            heap.close();
        }
        sampler.close();
    }
}

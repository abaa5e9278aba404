package wallfinder.lab;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.ServiceSpec;
import wallfinder.linux.EnvironmentException;
import wallfinder.report.RunRecord;
import wallfinder.sampling.JvmCensus;
import wallfinder.sampling.Sampler;
import wallfinder.sandbox.Service;

/// Measures one service at the memory limit that it has, from its first moment on. Nothing is
/// attached to it and nothing is asked of it, but in a calibration when the load is over.
final class FitBench {
    /// What the service's processes are asked when all is measured.
    interface Inquiry extends Function<Collection<Long>, Optional<JvmCensus>> {
        Inquiry NONE = pids -> Optional.empty();
    }

    /// Starts have short peaks.
    private static final Duration INTERVAL = Duration.ofMillis(50);

    private final String service;
    private final RunContext context;

    /// @param service the one whose memory is looked at
    FitBench(String service, RunContext context) {
        this.service = service;
        this.context = context;
    }

    /// @param cold whether its files were dropped before, which is noted and no more
    FitTrial trial(Experiment experiment, String name, boolean cold, Inquiry inquiry) {
        ServiceSpec spec = experiment.service(service);
        long limit = Objects.requireNonNull(spec.limits().memoryBytes());
        List<ServiceSpec> all = experiment.services();
        int place = all.indexOf(spec);
        try (SandboxScene scene = SandboxScene.empty(experiment, context, name, false)) {
            start(scene, all.subList(0, place));
            Service started = scene.begin(spec);
            try (Sampler sampler = Sampler.start(scene.readersOf(started), INTERVAL)) {
                try {
                    scene.awaitReady(spec, started);
                } catch (EnvironmentException e) {
                    FitLife life = new FitLife(service, sampler.stop());
                    return new FitTrial(
                            name, limit, cold, null, life, FitJudge.ofStart(e, life), null, e);
                }
                start(scene, all.subList(place + 1, all.size()));
                scene.shakeHands();
                RunRecord.Trial trial =
                        new Bench(context)
                                .measured(scene, experiment, experiment.load().connections(), name);
                FitLife life = new FitLife(service, sampler.stop());
                JvmCensus census = inquiry.apply(started.pids()).orElse(null);
                return new FitTrial(
                        name, limit, cold, trial, life, FitJudge.ofLoad(trial, life), census, null);
            }
        }
    }

    private static void start(SandboxScene scene, List<ServiceSpec> services) {
        for (ServiceSpec spec : services) {
            scene.awaitReady(spec, scene.begin(spec));
        }
    }
}

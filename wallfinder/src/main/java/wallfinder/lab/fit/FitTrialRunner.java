package wallfinder.lab.fit;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.ServiceSpec;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.SandboxTestbed;
import wallfinder.lab.trial.SandboxTrialRunner;
import wallfinder.linux.EnvironmentException;
import wallfinder.record.RunRecord;
import wallfinder.sampling.JvmCensus;
import wallfinder.sampling.Sampler;
import wallfinder.sandbox.Service;

/// Measures one service at the memory limit that it has, from its first moment on. Nothing is
/// attached to it and nothing is asked of it, but in a calibration.
final class FitTrialRunner {
    /// What is asked of the service's processes.
    ///
    /// @param census whether a JVM among them is asked what it holds, under load and after it
    /// @param afterwards what is done with them then
    record Inquiry(boolean census, Consumer<Collection<Long>> afterwards) {
        static final Inquiry NONE = new Inquiry(false, pids -> {});
        static final Inquiry CENSUS = new Inquiry(true, pids -> {});
    }

    /// Starts have short peaks.
    private static final Duration INTERVAL = Duration.ofMillis(50);

    private final String service;
    private final RunContext context;

    /// @param service the one whose memory is looked at
    FitTrialRunner(String service, RunContext context) {
        this.service = service;
        this.context = context;
    }

    /// @param cold whether its files were dropped before, which is noted and no more
    FitTrial trial(Experiment experiment, String name, boolean cold, Inquiry inquiry) {
        ServiceSpec spec = experiment.service(service);
        long limit = Objects.requireNonNull(spec.limits().memoryBytes());
        List<ServiceSpec> all = experiment.services();
        int place = all.indexOf(spec);
        try (SandboxTestbed testbed = SandboxTestbed.empty(experiment, context, name, false)) {
            start(testbed, all.subList(0, place));
            Service started = testbed.begin(spec);
            try (Sampler sampler = Sampler.start(testbed.readersOf(started), INTERVAL)) {
                try {
                    testbed.awaitReady(spec, started);
                } catch (EnvironmentException e) {
                    FitLife life = new FitLife(service, sampler.stop());
                    return new FitTrial(
                            name, limit, cold, null, life, FitJudge.ofStart(e, life), null, e);
                }
                start(testbed, all.subList(place + 1, all.size()));
                testbed.shakeHands();
                RunRecord.Trial trial;
                double loadedBytes;
                try (LiveHeap heap = inquiry.census() ? new LiveHeap(started.pids()) : null) {
                    trial = measured(testbed, experiment, name);
                    loadedBytes = heap == null ? Double.NaN : heap.mostBytes();
                }
                FitLife life = new FitLife(service, sampler.stop());
                JvmCensus census = null;
                if (inquiry.census()) {
                    census =
                            JvmCensus.of(started.pids())
                                    .map(told -> told.withLoadedBytes(loadedBytes))
                                    .orElse(null);
                }
                inquiry.afterwards().accept(started.pids());
                return new FitTrial(
                        name, limit, cold, trial, life, FitJudge.ofLoad(trial, life), census, null);
            }
        }
    }

    private RunRecord.Trial measured(SandboxTestbed testbed, Experiment experiment, String name) {
        return new SandboxTrialRunner(context)
                .measured(testbed, experiment, experiment.load().connections(), name);
    }

    private static void start(SandboxTestbed testbed, List<ServiceSpec> services) {
        for (ServiceSpec spec : services) {
            testbed.awaitReady(spec, testbed.begin(spec));
        }
    }
}

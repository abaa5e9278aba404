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

/// Measures one service at its memory limit from its start on. Only a calibration asks its JVM.
///
/// @param service the service whose memory is measured
record FitTrialRunner(String service, RunContext context) {
    /// @param census whether to ask a JVM for its memory, under the load and after it
    /// @param afterwards a last action on the processes
    record Inquiry(boolean census, Consumer<Collection<Long>> afterwards) {
        static final Inquiry NONE = new Inquiry(false, pids -> {});
        static final Inquiry CENSUS = new Inquiry(true, pids -> {});
    }

    /// Short, because starts have short peaks.
    private static final Duration INTERVAL = Duration.ofMillis(50);

    /// @param cold whether the page cache was dropped before, for the record
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
                                    .map(found -> found.withLoadedBytes(loadedBytes))
                                    .orElse(null);
                }
                inquiry.afterwards().accept(started.pids());
                return new FitTrial(
                        name, limit, cold, trial, life, FitJudge.ofLoad(trial, life), census, null);
            }
        }
    }

    private RunRecord.Trial measured(SandboxTestbed testbed, Experiment experiment, String name) {
        return new SandboxTrialRunner(context, true)
                .measured(testbed, experiment, experiment.load().connections(), name);
    }

    private static void start(SandboxTestbed testbed, List<ServiceSpec> services) {
        for (ServiceSpec spec : services) {
            testbed.awaitReady(spec, testbed.begin(spec));
        }
    }
}

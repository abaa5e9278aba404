package wallfinder.lab.fit;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import wallfinder.experiment.Experiment;
import wallfinder.lab.trial.Inspection;
import wallfinder.lab.trial.Life;
import wallfinder.lab.trial.SandboxTestbed;
import wallfinder.lab.trial.SandboxTrialRunner;
import wallfinder.lab.trial.TrialHosts;
import wallfinder.linux.EnvironmentException;
import wallfinder.record.RunRecord;

/// Measures one service at its memory limit from its start on. Only a calibration asks its JVM.
///
/// @param service the service whose memory is measured
record FitTrialRunner(String service, TrialHosts hosts) {
    /// @param census whether to ask a JVM for its memory, under the load and after it
    /// @param afterwards a last action on the processes, if they run on this host
    record Inquiry(boolean census, Consumer<Collection<Long>> afterwards) {
        static final Inquiry NONE = new Inquiry(false, pids -> {});
        static final Inquiry CENSUS = new Inquiry(true, pids -> {});
    }

    /// @param cold whether the page cache was dropped before, for the record
    FitTrial trial(Experiment experiment, String name, boolean cold, Inquiry inquiry) {
        long limit = Objects.requireNonNull(experiment.service(service).limits().memoryBytes());
        Inspection inspection = Inspection.ofLife(service, inquiry.census());
        try (SandboxTestbed testbed = hosts.open(experiment, name, inspection)) {
            EnvironmentException failure = testbed.life().notReady();
            if (failure != null) {
                FitLife life = new FitLife(service, testbed.life().end().timeline());
                return new FitTrial(
                        name,
                        limit,
                        cold,
                        null,
                        life,
                        FitJudge.ofStart(failure, life),
                        null,
                        failure);
            }
            RunRecord.Trial trial =
                    new SandboxTrialRunner(hosts)
                            .measured(testbed, experiment, experiment.load().connections(), name);
            hosts.check(); // or the limit would be blamed
            Life.Lived lived = testbed.life().end();
            inquiry.afterwards().accept(pids(testbed));
            FitLife life = new FitLife(service, lived.timeline());
            return new FitTrial(
                    name,
                    limit,
                    cold,
                    trial,
                    life,
                    FitJudge.ofLoad(trial, life),
                    lived.census(),
                    null);
        }
    }

    /// Its processes on this host.
    private List<Long> pids(SandboxTestbed testbed) {
        return testbed.services().stream()
                .filter(one -> one.name().equals(service))
                .flatMap(one -> one.pids().stream())
                .toList();
    }
}

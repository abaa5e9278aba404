package wallfinder.lab;

import java.util.List;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.AcceptQueue;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.LoadGenerator;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Limits;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.SampleLoad;
import wallfinder.observation.SandboxFacts;
import wallfinder.observation.Timeline;
import wallfinder.record.RunRecord;

/// Trials of simulated services, with the figures that a test gives.
public final class SimulatedTrials {
    static final double SECONDS = 2;

    private SimulatedTrials() {}

    /// The outcome of a load of two seconds.
    ///
    /// @param failed requests without an answer
    public static LoadOutcome load(
            int connections, double perSecond, double p99Millis, long failed) {
        long answered = Math.round(perSecond * SECONDS);
        Histogram response = new Histogram(3);
        response.recordValueWithCount(Math.round(p99Millis * 1e6), answered);
        return SampleLoad.of(connections, SECONDS, answered, failed, response);
    }

    public static RunRecord.Trial trial(
            String name, LoadOutcome load, Diagnosis diagnosis, @Nullable Boolean objectiveMet) {
        Observation observation =
                new Observation(
                        load, new Timeline(new long[] {0, 1, 2}, List.of()), facts("namespaces"));
        return new RunRecord.Trial(
                name, new TreeMap<>(), observation, diagnosis, List.of(), objectiveMet);
    }

    public static SandboxFacts facts(String isolation) {
        return facts(isolation, 1, 1, true, List.of());
    }

    public static SandboxFacts facts(
            String isolation,
            int serverCpus,
            int clientCpus,
            boolean watched,
            List<SandboxFacts.ServiceFacts> services) {
        return new SandboxFacts(
                isolation,
                new TreeMap<>(),
                new TreeMap<>(),
                serverCpus,
                clientCpus,
                false,
                Limits.NONE,
                watched,
                services,
                List.of());
    }

    public static Diagnosis none() {
        return diagnosis(Verdict.NONE, null, null);
    }

    public static Diagnosis unnamed() {
        return diagnosis(Verdict.UNNAMED, null, "it stopped");
    }

    public static Diagnosis named(Harm harm) {
        return diagnosis(
                Verdict.NAMED,
                new Judgement.Binds(new AcceptQueue(), End.SERVER, harm, List.of()),
                null);
    }

    public static Diagnosis invalid() {
        return diagnosis(
                Verdict.INVALID,
                new Judgement.Binds(new LoadGenerator(), End.CLIENT, Harm.THROUGHPUT, List.of()),
                null);
    }

    public static Diagnosis diagnosis(
            Verdict verdict, Judgement.@Nullable Binds headline, @Nullable String seen) {
        return new Diagnosis(verdict, headline, List.of(), List.of(), seen, List.of());
    }
}

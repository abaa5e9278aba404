package wallfinder.lab.study;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.LoadGenerator;
import wallfinder.observation.Caveat;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.record.RunRecord;

/// One trial of a study on the disk. The diagnosis is not stored; it follows from the observation.
///
/// @param order the trial's number in the order of measurement, from 0
/// @param cell from 1
/// @param round from 1
/// @param attempt from 1; there is a second attempt if the generator got too little CPU
/// @param values the values of the matrix's factors, which must be the cell's
/// @param failure why the trial failed, or null
/// @param factors what was set
/// @param observation null if the trial failed
/// @param warmup the warm-up of the service, or null
record StudyTrial(
        String schema,
        int order,
        int cell,
        int round,
        int attempt,
        SortedMap<String, String> values,
        @Nullable String failure,
        SortedMap<String, String> factors,
        @Nullable Observation observation,
        List<Caveat> caveats,
        @Nullable Boolean objectiveMet,
        RunRecord.@Nullable Warmup warmup) {
    static final String SCHEMA = "wallfinder-trial/1";

    /// A trial's place in its study.
    record Slot(int cell, int round, int attempt) {
        String name() {
            return "round-%d-cell-%d%s".formatted(round, cell, attempt == 1 ? "" : "-again");
        }
    }

    static StudyTrial measured(
            int order, Slot slot, SortedMap<String, String> values, RunRecord.Trial trial) {
        SortedMap<String, String> factors = new TreeMap<>(trial.factors());
        factors.putAll(values);
        return new StudyTrial(
                SCHEMA,
                order,
                slot.cell(),
                slot.round(),
                slot.attempt(),
                values,
                null,
                factors,
                trial.observation(),
                trial.caveats(),
                trial.objectiveMet(),
                trial.warmup());
    }

    static StudyTrial failed(
            int order, Slot slot, SortedMap<String, String> values, String failure) {
        return new StudyTrial(
                SCHEMA,
                order,
                slot.cell(),
                slot.round(),
                slot.attempt(),
                values,
                failure,
                new TreeMap<>(),
                null,
                List.of(),
                null,
                null);
    }

    Slot slot() {
        return new Slot(cell, round, attempt);
    }

    String name() {
        return slot().name();
    }

    /// Null if the trial failed.
    RunRecord.@Nullable Trial trial() {
        return observation == null
                ? null
                : new RunRecord.Trial(
                        name(),
                        factors,
                        observation,
                        Diagnosis.of(observation),
                        caveats,
                        objectiveMet,
                        warmup,
                        RunRecord.Role.CELL);
    }

    /// Whether something else took the generator's CPU, so that another attempt may succeed.
    boolean starved() {
        LoadOutcome load = observation == null ? null : observation.load();
        return load != null && LoadGenerator.starved(load);
    }
}

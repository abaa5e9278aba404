package wallfinder.diagnosis;

import java.util.List;
import wallfinder.diagnosis.Budget.Part;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.Observation;
import wallfinder.observation.WaitFigure;

/// The threads of the service wait in `write` because a pipe or a terminal is full: whoever reads
/// its log is too slow.
public record BlockedOutput() implements Wall {
    private static final String PRICE = "less in the log";

    @Override
    public WallId id() {
        return WallId.BLOCKED_OUTPUT;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        GrownPart part =
                new GrownPart(this, Part.OUTPUT, "threads in write to a pipe or a terminal");
        return part.judge(observation, symptoms, others, WaitFigure.OUTPUT);
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.TIMING;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        return Remedy.raisingKnobs(experiment, id(), PRICE, _ -> 0);
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        return List.of(
                new Advice("write less: WARN instead of INFO, no line for each request", PRICE),
                new Advice(
                        "write to a file, or through an asynchronous logger that drops lines when its queue is full",
                        "lines that are lost at a peak"),
                new Advice("make the program that reads the pipe faster", "its CPU"));
    }
}

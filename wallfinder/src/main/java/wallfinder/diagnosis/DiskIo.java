package wallfinder.diagnosis;

import java.util.List;
import wallfinder.diagnosis.Budget.Part;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.Observation;
import wallfinder.observation.WaitFigure;

/// The threads of the service wait until the disk has read or written a file: an `fsync` for each
/// request, or files that do not fit the page cache.
///
/// A container whose memory is too small to keep its files in memory reads them again and again.
/// That is [PageCache].
public record DiskIo() implements Wall {
    private static final String PRICE = "a crash may lose what is not on the disk yet";

    @Override
    public WallId id() {
        return WallId.DISK_IO;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        GrownPart part =
                new GrownPart(
                        this,
                        Part.DISK,
                        "threads in fsync and its relatives, in read or write of a file, or in a page fault");
        return part.judge(observation, symptoms, others, WaitFigure.DISK);
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
                new Advice(
                        "flush once for several requests (a group commit), or not at every request",
                        PRICE),
                new Advice(
                        "raise io.max (cgroup v2), blkio.throttle (v1) or docker --device-write-iops, or use a faster disk",
                        "more of the disk"));
    }
}

package wallfinder.diagnosis;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// A network namespace has as many connections in TIME_WAIT as it is allowed
/// (`tcp_max_tw_buckets`), and the kernel ends every further one at once (`tcp_time_wait`,
/// net/ipv4/tcp_minisocks.c).
///
/// This never stops a load: by then, the other end has acknowledged everything. Only the protection
/// against late packets is lost. So this wall is at most near, and has no remedy.
public record TimeWaitBuckets() implements Wall {
    private static final String BUCKETS = "net.ipv4.tcp_max_tw_buckets";

    /// If other programs of the host open more connections, theirs may be the ones without a place.
    private static final double OWN_SHARE_MIN = 0.8;

    @Override
    public WallId id() {
        return WallId.TIME_WAIT_BUCKETS;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        Optional<Series> overflows =
                List.of(End.CLIENT, End.SERVER).stream()
                        .flatMap(end ->
                                observation
                                        .timeline()
                                        .find(KernelCounter.TIME_WAIT_OVERFLOW, end)
                                        .stream())
                        .filter(s -> s.growth() > 0)
                        .max(Comparator.comparingDouble(Series::growth));
        return overflows.map(s -> grown(observation, s)).orElseGet(() -> without(observation));
    }

    /// On a network that other programs share, the counter includes their connections.
    private Judgement grown(Observation observation, Series overflows) {
        return observation.facts().ownCounters(overflows.end())
                        || ownShare(observation, overflows.end()) >= OWN_SHARE_MIN
                ? near(observation, overflows)
                : new Judgement.Unknown(
                        this,
                        Missing.OWN_COUNTERS,
                        "unknown: on the whole host, %.0f connections found no place in TIME_WAIT, perhaps those of other programs"
                                .formatted(overflows.growth()));
    }

    /// The share of this load in the connections that the host opened or accepted, whichever were
    /// more.
    private static double ownShare(Observation observation, End end) {
        double all =
                Math.max(
                        observation.timeline().growth(KernelCounter.ACTIVE_OPENS, end),
                        observation.timeline().growth(KernelCounter.PASSIVE_OPENS, end));
        return observation.load() instanceof LoadOutcome.Driven load
                ? Symptoms.share(load.connectionsOpened(), all)
                : 0;
    }

    private Judgement without(Observation observation) {
        boolean read =
                List.of(End.CLIENT, End.SERVER).stream()
                        .anyMatch(end ->
                                EvidenceFigures.find(
                                                observation, KernelCounter.TIME_WAIT_OVERFLOW, end)
                                        .isPresent());
        return read
                ? new Judgement.Clear(
                        this, "no closed connection was refused its place in TIME_WAIT")
                : new Judgement.Unknown(
                        this, Missing.READINGS, "unknown: the kernel's counters were not read");
    }

    private Judgement near(Observation observation, Series overflows) {
        End end = overflows.end();
        String limit = observation.facts().sysctl(BUCKETS, end).orElse("unknown");
        String summary =
                "on the %s, %.0f connections found no place in TIME_WAIT (%s is %s) and ended at once, which harms no request"
                        .formatted(
                                observation.facts().ownCounters(end) ? end.word() : "host",
                                overflows.growth(),
                                BUCKETS,
                                limit);
        return new Judgement.Near(
                this, end, List.of(EvidenceFigures.growth(overflows, summary)), summary);
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.KERNEL;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        return List.of();
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        return List.of(
                new Advice("reuse connections, so that fewer are closed", "none"),
                new Advice(
                        "sysctl -w " + BUCKETS + "=262144",
                        "some 250 bytes of kernel memory for each connection in TIME_WAIT"));
    }
}

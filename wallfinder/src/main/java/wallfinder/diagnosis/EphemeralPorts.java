package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.Observation;
import wallfinder.observation.PortsFigure;
import wallfinder.observation.Series;

/// Open connections or connections in TIME_WAIT take all local ports towards one address and port.
/// No counter of the kernel moves; `connect` fails with EADDRNOTAVAIL (`__inet_hash_connect`,
/// net/ipv4/inet_hashtables.c). So the proof is the number of ports in use and the range.
public record EphemeralPorts() implements Wall {
    private static final String RANGE = "net.ipv4.ip_local_port_range";

    /// The name of a destination of which only the number of ports is known.
    private static final String BUSIEST = "busiest";

    private static final String WIDEST = "1024 65535";
    private static final String NOT_IN_RANGE = "services must not listen in the range";
    private static final String MASKS = "it masks that connections are not reused";
    private static final String REUSE = "net.ipv4.tcp_tw_reuse";

    /// A few ports become free between two samples.
    private static final double FULL_SHARE = 0.98;

    /// Ports are counted at most once a second: the last tenth can come and go in between.
    private static final double NEARLY_FULL_SHARE = 0.9;

    @Override
    public WallId id() {
        return WallId.EPHEMERAL_PORTS;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        Optional<PortUse> most = most(observation);
        if (most.isEmpty()) {
            return read(observation)
                    ? new Judgement.Clear(this, "no port was seen in use towards another address")
                    : new Judgement.Unknown(
                            this,
                            observation.facts().serverWatched()
                                    ? Missing.READINGS
                                    : Missing.SERVER);
        }
        PortUse use = most.get();
        String summary =
                "%.0f of %.0f local ports towards %s were in use"
                        .formatted(use.used().max(), use.limit(), use.destination());
        if (use.share() < EvidenceFigures.NEAR_SHARE) {
            return new Judgement.Clear(this, summary);
        }
        List<Evidence> evidence = List.of(EvidenceFigures.level(use.used(), use.limit(), summary));
        boolean unknown = !symptoms.known() && !observation.load().countsErrors();
        boolean harmed = symptoms.stopped() || unknown || failsUpstream(use, observation);
        boolean full = use.share() >= FULL_SHARE || fullBetween(use, observation, symptoms);
        if (!full || !harmed) {
            return new Judgement.Near(this, use.end(), evidence, summary);
        }
        return new Judgement.Binds(this, use.end(), Harm.ERRORS, evidence);
    }

    private static boolean read(Observation observation) {
        return Stream.of(End.CLIENT, End.SERVER)
                .flatMap(end -> observation.timeline().all(PortsFigure.USED, end))
                .anyMatch(used -> used.max() >= 0);
    }

    /// Ports are counted at most once a second. The ports ran out between two counts if connects
    /// fail and fewer ports were left than there were open connections, which come and go.
    private static boolean fullBetween(PortUse use, Observation observation, Symptoms symptoms) {
        return symptoms.errorsBegin()
                && use.share() >= NEARLY_FULL_SHARE
                && observation
                        .timeline()
                        .beside(use.used(), PortsFigure.CONNECTED)
                        .filter(s -> use.limit() - use.used().max() <= s.max())
                        .isPresent();
    }

    @Override
    public double lasted(Judgement.Binds binds, Observation observation) {
        return lasted(binds.evidence().getFirst(), observation);
    }

    static double lasted(Evidence used, Observation observation) {
        double full = FULL_SHARE * (used.limit() == null ? Double.NaN : used.limit());
        return observation
                .timeline()
                .find(used.counter(), used.end())
                .map(s -> WatchedJudgement.share(s, ports -> ports >= full))
                .orElse(0.0);
    }

    /// A service without a port towards its upstream still answers, but with an error.
    private static boolean failsUpstream(PortUse use, Observation observation) {
        return use.end() == End.SERVER && FileDescriptors.failed(observation) > 0;
    }

    /// The ports towards one destination, at one end.
    record PortUse(Series used, double limit) {
        double share() {
            return limit > 0 ? used.max() / limit : 0;
        }

        End end() {
            return used.end();
        }

        String destination() {
            String name = used.subject();
            return name.equals(BUSIEST) ? "one destination" : name;
        }
    }

    /// The end and destination with the fullest port range.
    static Optional<PortUse> most(Observation observation) {
        List<PortUse> uses = new ArrayList<>();
        for (End end : List.of(End.CLIENT, End.SERVER)) {
            for (Series used : observation.timeline().all(PortsFigure.USED, end).toList()) {
                observation
                        .timeline()
                        .beside(used, PortsFigure.LIMIT)
                        .filter(s -> used.max() > 0)
                        .ifPresent(s -> uses.add(new PortUse(used, s.last())));
            }
        }
        return uses.stream().max((a, b) -> Double.compare(a.share(), b.share()));
    }

    @Override
    public boolean seen(Observation observation) {
        return true;
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.KERNEL;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        return Stream.of(
                        remedy(binds, observation, RANGE, WIDEST, NOT_IN_RANGE),
                        remedy(binds, observation, REUSE, "1", MASKS))
                .flatMap(Optional::stream)
                .toList();
    }

    private static Optional<Remedy> remedy(
            Judgement.Binds binds,
            Observation observation,
            String sysctl,
            String to,
            String price) {
        return observation
                .facts()
                .sysctl(sysctl, binds.end())
                .map(value -> value.strip().replaceAll("\\s+", " "))
                .filter(value -> !value.equals(to))
                .map(value ->
                        new Change(
                                new Setting.OfSysctl(binds.end() == End.SERVER, sysctl), value, to))
                .map(change -> new Remedy(List.of(change), price));
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        return List.of(
                new Advice("reuse connections: read responses to their end, and pool", "none"),
                new Advice("sysctl -w " + RANGE + "=\"" + WIDEST + "\"", NOT_IN_RANGE),
                new Advice("sysctl -w " + REUSE + "=1", MASKS));
    }
}

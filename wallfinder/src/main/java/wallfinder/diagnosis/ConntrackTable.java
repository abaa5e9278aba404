package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// The kernel tracks connections for a firewall or for NAT, and its table is full
/// (`nf_conntrack_max`). It drops the packets of connections that have no entry (`init_conntrack`,
/// net/netfilter/nf_conntrack_core.c), which means each new SYN first of all. Established
/// connections continue to work.
///
/// Before that, the kernel removes connections that were never answered (`early_drop`), which harms
/// no client that the service answers.
public record ConntrackTable() implements Wall {
    private static final String MAX = "net.netfilter.nf_conntrack_max";

    /// The table may fill and empty between two samples.
    private static final double FULL_SHARE = 0.95;

    @Override
    public WallId id() {
        return WallId.CONNTRACK_TABLE;
    }

    /// Everybody may read the table's figures of the own network.
    @Override
    public boolean seen(Observation observation) {
        return observation.facts().serverWatched()
                || observation.timeline().find(EndFigure.CONNTRACK_ENTRIES, End.SERVER).isPresent();
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        Optional<Table> fullest =
                List.of(End.SERVER, End.CLIENT).stream()
                        .flatMap(end -> Table.of(observation, end).stream())
                        .max(Comparator.comparingDouble(Table::share));
        if (fullest.isEmpty()) {
            return read(observation)
                    ? new Judgement.Clear(this, "no connection was tracked")
                    : new Judgement.Unknown(
                            this,
                            Missing.OWN_COUNTERS,
                            "unknown: the table of the host was not read");
        }
        Table table = fullest.get();
        if (table.share() < EvidenceFigures.NEAR_SHARE && table.earlyDrops() == 0) {
            return new Judgement.Clear(this, table.describe());
        }
        List<Evidence> evidence = evidence(observation, table);
        boolean dropped = table.drops() > 0 && table.share() >= FULL_SHARE;
        Harm harm = symptoms.harm(Harm.ERRORS);
        boolean harmed =
                !symptoms.known()
                        || (symptoms.stopped()
                                && HarmTiming.together(
                                        observation,
                                        EndFigure.CONNTRACK_DROPS,
                                        table.end(),
                                        harm,
                                        HarmTiming.REPEATED_NANOS));
        boolean ours =
                observation.facts().ownCounters(table.end())
                        || repeatsConnects(observation, symptoms, table);
        return dropped && harmed && ours
                ? new Judgement.Binds(this, table.end(), harm, evidence)
                : new Judgement.Near(
                        this,
                        table.end(),
                        evidence,
                        table.describe() + (dropped ? ", without harm to this load" : ""));
    }

    /// The kernel has no table unless something uses it, but without a reader nothing is known.
    private static boolean read(Observation observation) {
        return observation.facts().ownCounters()
                || observation.timeline().find(EndFigure.CONNTRACK_ENTRIES, End.SERVER).isPresent();
    }

    /// On a network that other programs share, the dropped packets may be theirs. They were ours if
    /// this load had to repeat handshakes, there were at least as many drops, and no listener
    /// dropped one. Between two programs of one host no packet is lost on the way.
    private static boolean repeatsConnects(
            Observation observation, Symptoms symptoms, Table table) {
        double repeated =
                symptoms.slowConnects()
                        + (double) observation.load().errors(ErrorKind.CONNECT_TIMEOUT);
        return repeated > 0
                && repeated <= table.drops()
                && new AcceptQueue().seen(observation)
                && AcceptQueue.listenerDrops(observation) == 0;
    }

    /// The table of an end, if its usage was read.
    private record Table(Series entries, double limit, double drops, double earlyDrops) {
        static Optional<Table> of(Observation observation, End end) {
            double limit = EvidenceFigures.sysctl(observation, MAX, end);
            return observation
                    .timeline()
                    .find(EndFigure.CONNTRACK_ENTRIES, end)
                    .filter(s -> s.max() > 0 && limit > 0)
                    .map(s ->
                            new Table(
                                    s,
                                    limit,
                                    observation.timeline().growth(EndFigure.CONNTRACK_DROPS, end),
                                    observation
                                            .timeline()
                                            .growth(EndFigure.CONNTRACK_EARLY_DROPS, end)));
        }

        End end() {
            return entries.end();
        }

        double share() {
            return entries.max() / limit;
        }

        String describe() {
            return "on the %s, the kernel tracked %.0f of at most %.0f connections"
                    .formatted(end().word(), entries.max(), limit);
        }
    }

    private static List<Evidence> evidence(Observation observation, Table table) {
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(EvidenceFigures.level(table.entries(), table.limit(), table.describe()));
        EvidenceFigures.grown(
                        observation,
                        EndFigure.CONNTRACK_DROPS,
                        table.end(),
                        "%.0f packets were dropped because their connection found no place in the table"
                                ::formatted)
                .ifPresent(evidence::add);
        EvidenceFigures.grown(
                        observation,
                        EndFigure.CONNTRACK_EARLY_DROPS,
                        table.end(),
                        "%.0f unanswered connections were removed to make room"::formatted)
                .ifPresent(evidence::add);
        EvidenceFigures.grown(
                        observation,
                        KernelCounter.SYN_RETRANS,
                        End.CLIENT,
                        "%.0f SYNs were retransmitted"::formatted)
                .ifPresent(evidence::add);
        return evidence;
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.KERNEL;
    }

    /// There is no remedy: the size of the table belongs to the whole host.
    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        return List.of();
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        long limit = EvidenceFigures.sysctl(observation, MAX, binds.end());
        return List.of(
                new Advice("reuse connections, so that fewer are tracked", "none"),
                new Advice(
                        "sysctl -w %s=%d".formatted(MAX, limit > 0 ? 4 * limit : 1_048_576),
                        "some 320 bytes of kernel memory for each tracked connection"),
                new Advice(
                        "sysctl -w net.netfilter.nf_conntrack_tcp_timeout_time_wait=30",
                        "late packets of a connection are refused"),
                new Advice(
                        "let nftables not track them: in chains of priority raw, tcp dport PORT notrack (hook prerouting) and tcp sport PORT notrack (hook output)",
                        "no address translation (docker -p, a Kubernetes service) and no rules by state for this port"));
    }
}

package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.DependencyFigure;
import wallfinder.observation.End;
import wallfinder.observation.Figure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.PortsFigure;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Series;

/// A client has a fixed number of connections. Each connection always waits for an answer, while
/// more callers wait for a connection. The rate is the number of connections divided by the time of
/// one answer, whatever the server can do.
///
/// A service is also a client of the services that it calls. The pool is then on the server's end,
/// and the load shows that there were more callers. For a separate client, only its threads show
/// that.
public record ClientConnections() implements Wall {
    /// An exhausted pool keeps its size, but the client may replace a connection.
    private static final double STEADY_SHARE = 0.8;

    /// A connection is idle for a moment between an answer and the next request. All of them may be
    /// idle at the same moment, so the median of the looks decides.
    private static final double BUSY_SHARE = 0.8;

    /// In an exhausted pool of threads, each thread waits for the network on its own connection.
    private static final double OWN_CONNECTION_SHARE = 0.5;

    /// One request may use so many connections at once.
    private static final int ONE_REQUEST_MAX = 4;

    @Override
    public WallId id() {
        return WallId.CLIENT_CONNECTIONS;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        boolean driven = observation.load() instanceof LoadOutcome.Driven;
        End end = driven ? End.SERVER : End.CLIENT;
        List<Judgement> judged =
                pools(observation, end)
                        .map(pool -> judge(pool, observation, symptoms, others))
                        .toList();
        Optional<Judgement> binding =
                judged.stream().filter(one -> one instanceof Judgement.Binds).findFirst();
        return binding.or(() -> judged.stream().findFirst())
                .orElseGet(() ->
                        new Judgement.Clear(this, "no pool of connections was always in use"));
    }

    private Judgement judge(
            Pool pool, Observation observation, Symptoms symptoms, Judgements others) {
        boolean driven = observation.load() instanceof LoadOutcome.Driven;
        if (driven
                && !Slowdown.of(observation.load()).known()
                && threads(observation, End.SERVER, ProcessFigure.QUEUEING) < 1) {
            // One connection may carry several requests at a time: only the time alone shows that.
            return new Judgement.Unknown(this, Missing.ALONE);
        }
        String not =
                driven
                        ? contradictionOfService(observation, symptoms, others, pool)
                        : contradictionOfCommand(observation, symptoms);
        return not == null
                ? new Judgement.Binds(
                        this, pool.end(), Harm.THROUGHPUT, evidence(observation, symptoms, pool))
                : new Judgement.Clear(this, pool.describe() + ", but " + not);
    }

    /// Connections that this end opened and that are all in use all the time.
    ///
    /// @param address where they lead, or null if that is not known
    private record Pool(Series busy, double size, double busyShare, @Nullable String address) {
        End end() {
            return busy.end();
        }

        String describe() {
            return "all of its %.0f connections waited for an answer in %s of the time"
                    .formatted(size, EvidenceFigures.percent(busyShare));
        }
    }

    /// The pool to the destination with the most connections, if that is one, and those to the
    /// others. On a network that other programs share, a service's connections are known by its
    /// descriptors. Those of a client are not.
    private static Stream<Pool> pools(Observation observation, End end) {
        if (end == End.CLIENT) {
            return observation.facts().ownCounters(end)
                    ? pools(observation, end, PortsFigure.CONNECTED, PortsFigure.BUSY)
                    : Stream.empty();
        }
        return Stream.concat(
                pools(observation, end, PortsFigure.CONNECTED, PortsFigure.BUSY)
                        .filter(pool -> destinations(observation, pool.size()).size() <= 1),
                pools(observation, end, DependencyFigure.CONNECTIONS, DependencyFigure.BUSY)
                        .filter(pool -> !String.valueOf(pool.address()).startsWith(Budget.UNIX)));
    }

    private static Stream<Pool> pools(
            Observation observation, End end, Figure connections, Figure waiting) {
        return observation
                .timeline()
                .all(connections, end)
                .flatMap(connected ->
                        observation
                                .timeline()
                                .beside(connected, waiting)
                                .flatMap(busy -> pool(observation, connected, busy))
                                .stream());
    }

    /// Where these connections lead, if only one destination has as many.
    private static @Nullable String address(Observation observation, Series connected) {
        if (connected.counter().key().isOf(DependencyFigure.CONNECTIONS)) {
            return connected.subject();
        }
        List<String> addresses =
                connected.end() == End.SERVER
                        ? destinations(observation, connected.max())
                        : List.of();
        return addresses.size() == 1 ? addresses.getFirst() : null;
    }

    /// The destinations of the service that it has so many connections to.
    private static List<String> destinations(Observation observation, double connections) {
        return observation
                .timeline()
                .all(DependencyFigure.CONNECTIONS, End.SERVER)
                .filter(series -> series.max() == connections)
                .map(Series::subject)
                .toList();
    }

    /// The first and the last instant are at the edges of the load.
    private static Optional<Pool> pool(Observation observation, Series connected, Series busy) {
        int[] looks =
                IntStream.range(1, connected.values().length - 1)
                        .filter(i -> connected.values()[i] > 0)
                        .toArray();
        // The first look may fall between the opening of the connections and the first request.
        int[] counted = Arrays.stream(looks).skip(looks.length > 1 ? 1 : 0).toArray();
        double size = connected.max();
        long steady = Arrays.stream(counted).filter(i -> connected.values()[i] == size).count();
        double busyShare =
                Symptoms.share(
                        Arrays.stream(counted).mapToDouble(i -> busy.values()[i]).sum(),
                        Arrays.stream(counted).mapToDouble(i -> connected.values()[i]).sum());
        double[] shares =
                Arrays.stream(counted)
                        .mapToDouble(i -> busy.values()[i] / connected.values()[i])
                        .sorted()
                        .toArray();
        return counted.length > 0
                        && steady >= STEADY_SHARE * counted.length
                        && shares[shares.length / 2] >= BUSY_SHARE
                ? Optional.of(new Pool(busy, size, busyShare, address(observation, connected)))
                : Optional.empty();
    }

    private static @Nullable String contradictionOfCommand(
            Observation observation, Symptoms symptoms) {
        if (threads(observation, End.CLIENT, ProcessFigure.QUEUEING) < 1) {
            return "no thread waited for one";
        }
        return symptoms.cpuSaturated() ? "the server's CPU was busy" : null;
    }

    private @Nullable String contradictionOfService(
            Observation observation, Symptoms symptoms, Judgements others, Pool pool) {
        if (pool.size() >= observation.load().connections()) {
            return "the load needs no more connections";
        }
        if (threads(observation, End.SERVER, ProcessFigure.RECEIVING)
                        >= OWN_CONNECTION_SHARE * pool.size()
                && threads(observation, End.SERVER, ProcessFigure.QUEUEING) < 1) {
            return "each belongs to a thread, and no thread waited for a connection";
        }
        Growth growth = Growth.of(observation).orElse(null);
        String address = pool.address();
        if (growth != null && growth.sharesConnections(address)) {
            return "its connections carry several requests at a time";
        }
        if (address != null
                && pool.size() > ONE_REQUEST_MAX
                && waitingAlone(observation, address) >= BUSY_SHARE * pool.size()) {
            // As those of a client that asks for news and waits until there are some.
            return "as many wait while only one request is under way";
        }
        Judgement.Unknown unknown = ServerConcurrency.unknown(this, observation);
        return unknown != null
                ? unknown.because()
                : ServerConcurrency.contradiction(observation, symptoms, others);
    }

    /// The mean number of connections to a destination that wait for an answer without load; 0 if
    /// nobody looked.
    private static double waitingAlone(Observation observation, String address) {
        return Optional.ofNullable(observation.unloaded())
                .flatMap(alone ->
                        alone.timeline().find(DependencyFigure.BUSY.of(address), End.SERVER))
                .map(Budget::mean)
                .filter(mean -> mean > 0)
                .orElse(0.0);
    }

    /// The threads of one kind that wait for the network: the largest number in any process, as the
    /// median over the instants at which any thread waited.
    private static double threads(Observation observation, End end, ProcessFigure figure) {
        return observation
                .timeline()
                .all(ProcessFigure.RECEIVING, end)
                .mapToDouble(receiving -> usual(observation, receiving, figure))
                .max()
                .orElse(0);
    }

    private static double usual(Observation observation, Series receiving, ProcessFigure figure) {
        double[] values =
                observation
                        .timeline()
                        .beside(receiving, figure)
                        .map(Series::values)
                        .orElse(new double[0]);
        double[] sorted =
                IntStream.range(0, values.length)
                        .filter(i -> receiving.values()[i] > 0)
                        .mapToDouble(i -> values[i])
                        .sorted()
                        .toArray();
        return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
    }

    private static List<Evidence> evidence(Observation observation, Symptoms symptoms, Pool pool) {
        End end = pool.end();
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(
                EvidenceFigures.level(
                        pool.busy(),
                        pool.size(),
                        "the %s never has more than %.0f outgoing connections%s, which wait for an answer in %s of the time"
                                .formatted(
                                        end == End.SERVER ? "service" : "client",
                                        pool.size(),
                                        pool.address() == null ? "" : " to " + pool.address(),
                                        EvidenceFigures.percent(pool.busyShare()))));
        double queueing = threads(observation, end, ProcessFigure.QUEUEING);
        if (queueing > 0) {
            evidence.add(
                    EvidenceFigures.seen(
                            "threads that wait for another",
                            end,
                            (long) queueing,
                            "/proc/PID/task/TID/wchan, schedstat",
                            "%.0f more of its threads waited for a connection, while %.0f waited for an answer"
                                    .formatted(
                                            queueing,
                                            threads(observation, end, ProcessFigure.RECEIVING))));
        }
        if (end == End.SERVER) {
            evidence.addAll(ServerConcurrency.evidence(observation, symptoms));
        }
        return List.copyOf(evidence);
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.TIMING;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        long asked =
                binds.end() == End.SERVER
                        ? ServerConcurrency.asked(experiment, observation)
                        : (long)
                                (threads(observation, End.CLIENT, ProcessFigure.QUEUEING)
                                        + threads(
                                                observation, End.CLIENT, ProcessFigure.RECEIVING));
        return Remedy.raisingKnobs(
                experiment, id(), "more connections on the other side", _ -> asked);
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        return List.of(
                new Advice(
                        "give the pool more connections to that destination, step by step: at most as many as there are callers at once, and as the destination allows",
                        "more connections and descriptors on both sides"),
                new Advice(
                        "find code that keeps a connection longer than it uses it", "your time"));
    }
}

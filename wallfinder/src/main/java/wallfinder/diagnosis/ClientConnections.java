package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.PortsFigure;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Series;

/// A client has a fixed number of connections, each of which waits for an answer all the time,
/// while more of its callers wait for one of them. The rate is that number divided by the time of
/// one answer, whatever the server could do.
///
/// A service is a client, too, of what it calls: then the pool is at the server's end, and what is
/// asked of the service tells that there were more callers. Of a client that is a program of its
/// own only its threads tell that.
public record ClientConnections() implements Wall {
    /// The number of a pool that is used up does not change; a connection may be replaced.
    private static final double STEADY_SHARE = 0.8;

    /// Between an answer and the next request a connection is idle for a moment.
    private static final double BUSY_SHARE = 0.8;

    /// In a pool of threads that is used up, each waits for the network with a connection of its
    /// own.
    private static final double OWN_CONNECTION_SHARE = 0.5;

    @Override
    public WallId id() {
        return WallId.CLIENT_CONNECTIONS;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        boolean driven = observation.load() instanceof LoadOutcome.Driven;
        End end = driven ? End.SERVER : End.CLIENT;
        Optional<Pool> pool = pool(observation, end);
        if (pool.isEmpty()) {
            return new Judgement.Clear(this, "no number of connections was always in use");
        }
        String told = pool.get().told();
        String not =
                driven
                        ? contradictionOfService(observation, symptoms, others, pool.get())
                        : contradictionOfCommand(observation, symptoms);
        return not == null
                ? new Judgement.Binds(
                        this, end, Harm.THROUGHPUT, evidence(observation, symptoms, pool.get()))
                : new Judgement.Clear(this, told + ", but " + not);
    }

    /// Connections that this end opened, all of them always in use.
    private record Pool(Series connected, Series busy, double size, double busyShare) {
        String told() {
            return "all of its %.0f connections waited for an answer in %s of the time"
                    .formatted(size, EvidenceFigures.percent(busyShare));
        }
    }

    private static Optional<Pool> pool(Observation observation, End end) {
        if (!observation.facts().ownCounters()) {
            return Optional.empty();
        }
        return observation
                .timeline()
                .all(PortsFigure.CONNECTED, end)
                .flatMap(connected ->
                        observation
                                .timeline()
                                .beside(connected, PortsFigure.BUSY)
                                .flatMap(busy -> pool(connected, busy))
                                .stream())
                .findFirst();
    }

    /// The first instant is before the load, the last one after it.
    private static Optional<Pool> pool(Series connected, Series busy) {
        double size = connected.max();
        int instants = 0;
        int steady = 0;
        double waiting = 0;
        double all = 0;
        for (int i = 1; i < connected.values().length - 1; i++) {
            double now = connected.values()[i];
            if (now > 0) {
                instants++;
                steady += now == size ? 1 : 0;
                waiting += busy.values()[i];
                all += now;
            }
        }
        double busyShare = Symptoms.share(waiting, all);
        return instants > 0 && steady >= STEADY_SHARE * instants && busyShare >= BUSY_SHARE
                ? Optional.of(new Pool(connected, busy, size, busyShare))
                : Optional.empty();
    }

    private static @Nullable String contradictionOfCommand(
            Observation observation, Symptoms symptoms) {
        if (threads(observation, End.CLIENT, ProcessFigure.QUEUEING) < 1) {
            return "none of its threads was seen to wait for one";
        }
        return symptoms.cpuSaturated() ? "the server's CPU was busy" : null;
    }

    private static @Nullable String contradictionOfService(
            Observation observation, Symptoms symptoms, Judgements others, Pool pool) {
        if (pool.size() >= observation.load().connections()) {
            return "no more were asked for";
        }
        if (threads(observation, End.SERVER, ProcessFigure.RECEIVING)
                        >= OWN_CONNECTION_SHARE * pool.size()
                && threads(observation, End.SERVER, ProcessFigure.QUEUEING) < 1) {
            return "each belongs to a thread, and no thread waited for one";
        }
        Judgement.Unknown unknown = new ServerConcurrency().unknown(observation);
        return unknown != null
                ? unknown.because()
                : ServerConcurrency.contradiction(observation, symptoms, others);
    }

    /// Of the threads of one kind that wait for the network; the most of any process, at the median
    /// of the instants at which any did.
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
        End end = pool.connected().counter().end();
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(
                EvidenceFigures.level(
                        pool.busy(),
                        pool.size(),
                        "the %s has %.0f connections to what it asks, no more at any time, and %s of them always wait for an answer"
                                .formatted(
                                        end == End.SERVER ? "service" : "client",
                                        pool.size(),
                                        EvidenceFigures.percent(pool.busyShare()))));
        double queueing = threads(observation, end, ProcessFigure.QUEUEING);
        if (queueing > 0) {
            evidence.add(
                    EvidenceFigures.seen(
                            "threads that wait for another",
                            end,
                            (long) queueing,
                            "/proc/PID/task/TID/wchan, schedstat",
                            "%.0f more of its threads waited for one of them, while %.0f waited for an answer"
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
        List<Remedy> remedies = new ArrayList<>();
        long asked =
                binds.end() == End.SERVER
                        ? ServerConcurrency.asked(experiment, observation)
                        : (long)
                                (threads(observation, End.CLIENT, ProcessFigure.QUEUEING)
                                        + threads(
                                                observation, End.CLIENT, ProcessFigure.RECEIVING));
        for (ServiceSpec service : experiment.programs()) {
            service.knobs()
                    .forEach((name, knob) ->
                            Change.raising(
                                            new Setting.OfKnob(service.name(), name),
                                            knob,
                                            id(),
                                            asked)
                                    .map(change ->
                                            new Remedy(
                                                    List.of(change),
                                                    "that many connections at the other side"))
                                    .ifPresent(remedies::add));
        }
        return List.copyOf(remedies);
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        return List.of(
                new Advice(
                        "give the pool as many connections as there are callers at once (connections to one destination)",
                        "that many connections and descriptors on both sides"),
                new Advice("find who keeps a connection longer than it uses it", "your time"));
    }
}

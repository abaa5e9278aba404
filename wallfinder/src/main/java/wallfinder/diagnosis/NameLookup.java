package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Resolver;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Key;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;

/// Requests wait for the lookup of a name, because the name server is dead, far away or overloaded.
/// A program sleeps while it waits for the lookup: it uses no CPU, gets no error and moves no
/// counter of TCP.
///
/// The proof is the sockets that wait for a name server's answer. By Little's law, their mean
/// number divided by the mean number of requests in progress is the share of the time that lookups
/// take. If a name server refuses, ICMP messages come instead of answers, and the service has no
/// other UDP socket, or one to a name server was seen.
public record NameLookup() implements Wall {
    /// Lookups must take this share of the requests' time. Go asks for both kinds of addresses at
    /// the same time, with a socket for each, which looks like two lookups: a measured half may
    /// really be a quarter.
    private static final double EXPLAINS_SHARE = 0.75;

    /// A name server must have refused this share of the failed requests.
    private static final double REFUSED_SHARE = 0.5;

    /// If lookups wait at a smaller share of the instants, they may be a few late ones.
    private static final double WAITING_SHARE = 0.5;

    /// If nothing is known about the requests, lookups must be waiting for most of the time.
    private static final double MOSTLY_SHARE = 0.6;

    /// A lookup within one network takes milliseconds; a user notices a lookup this long.
    private static final double SLOW_SECONDS = 0.5;

    /// Two sampling intervals: a socket may have been open that much longer than the samples show.
    private static final double SEEN_LATE_SECONDS = 0.2;

    /// A service may look up one name at a time in the background.
    private static final double IN_BACKGROUND_MAX = 1.5;

    /// A service that waits for lookups leaves most of its CPUs idle.
    private static final double IDLE_SHARE_MAX = 0.5;

    /// If fewer requests fail, most requests get the addresses that they need.
    private static final double FAILED_SHARE = 0.01;

    /// The lookup of a request takes no longer than the request, which takes longer under load.
    private static final double OF_REQUEST_ALONE_MAX = 2;

    @Override
    public WallId id() {
        return WallId.NAME_LOOKUP;
    }

    /// If no program of the host waits for a lookup, a hidden service does not, either.
    @Override
    public boolean seen(Observation observation) {
        return observation.facts().serverWatched()
                || Lookups.of(observation, End.SERVER).isPresent();
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        Optional<Lookups> most =
                List.of(End.SERVER, End.CLIENT).stream()
                        .flatMap(end -> Lookups.of(observation, end).stream())
                        .max(Comparator.comparingDouble(Lookups::mean));
        if (most.isEmpty()) {
            return new Judgement.Unknown(
                    this, Missing.READINGS, "unknown: no lookups could be seen");
        }
        Lookups lookups = most.get();
        if (observation.facts().ownCounters(lookups.end())
                && refused(observation, lookups.end()) >= REFUSED_SHARE * failed(observation)
                && failed(observation) > FAILED_SHARE * exchanges(observation)) {
            return refused(observation, lookups);
        }
        if (lookups.mean() == 0) {
            return new Judgement.Clear(this, "no name lookup was seen waiting");
        }
        if (!observation.facts().serverWatched()) {
            return new Judgement.Unknown(
                    this,
                    Missing.SERVER,
                    "unknown: the lookups that waited are those of any program of the host");
        }
        if (!lookups.noticeable()) {
            return new Judgement.Clear(
                    this, lookups.describe() + ": too few and too short to slow the load");
        }
        return judge(observation, symptoms, lookups);
    }

    /// ICMP does not say what was refused. A lookup that is refused ends at once, so a sample
    /// seldom sees its socket. Programs that send something else by UDP, such as metrics, keep
    /// their sockets.
    private Judgement refused(Observation observation, Lookups lookups) {
        List<Evidence> evidence = refusal(observation, lookups.end());
        boolean onlyLookups =
                EvidenceFigures.find(observation, EndFigure.UDP_OTHERS, lookups.end())
                        .map(s -> WatchedJudgement.share(s, others -> others > 0) < WAITING_SHARE)
                        .orElse(false);
        return lookups.mean() > 0 || onlyLookups
                ? new Judgement.Binds(this, lookups.end(), Harm.ERRORS, evidence)
                : new Judgement.Near(
                        this,
                        lookups.end(),
                        evidence,
                        "%.0f UDP datagrams were refused, but no lookup was seen: they may be metrics or logs that nobody receives"
                                .formatted(refused(observation, lookups.end())));
    }

    private Judgement judge(Observation observation, Symptoms symptoms, Lookups lookups) {
        List<Evidence> evidence = evidence(observation, lookups);
        boolean explains =
                switch (observation.load()) {
                    case LoadOutcome.Driven load -> explains(load, symptoms, lookups);
                    case LoadOutcome.Command _, LoadOutcome.Unseen _ ->
                            mostlyWaits(symptoms, lookups);
                };
        boolean felt = symptoms.stopped() || lookups.longest().max() >= SLOW_SECONDS;
        return explains && felt
                ? new Judgement.Binds(this, lookups.end(), symptoms.harm(Harm.THROUGHPUT), evidence)
                : new Judgement.Near(
                        this,
                        lookups.end(),
                        evidence,
                        lookups.describe()
                                + (explains ? "" : ", and the requests did not wait for it"));
    }

    private static boolean mostlyWaits(Symptoms symptoms, Lookups lookups) {
        boolean inBackground = lookups.end() == End.SERVER && lookups.mean() < IN_BACKGROUND_MAX;
        return lookups.share() >= MOSTLY_SHARE
                && !inBackground
                && symptoms.cpu().share() < IDLE_SHARE_MAX;
    }

    /// The waiting lookups of an end.
    private record Lookups(Series waiting, Series longest) {
        static Optional<Lookups> of(Observation observation, End end) {
            Optional<Series> waiting = observation.timeline().find(EndFigure.LOOKUPS_WAITING, end);
            Optional<Series> longest = observation.timeline().find(EndFigure.LOOKUPS_LONGEST, end);
            return waiting.isPresent() && longest.isPresent() && !Double.isNaN(waiting.get().max())
                    ? Optional.of(new Lookups(waiting.get(), longest.get()))
                    : Optional.empty();
        }

        End end() {
            return waiting.end();
        }

        double mean() {
            return known().average().orElse(0);
        }

        double share() {
            return Symptoms.share(known().filter(v -> v > 0).count(), known().count());
        }

        private DoubleStream known() {
            return Arrays.stream(waiting.values()).filter(v -> !Double.isNaN(v));
        }

        boolean noticeable() {
            return share() >= WAITING_SHARE || longest.max() >= SLOW_SECONDS;
        }

        String describe() {
            return "on the %s, %.1f name lookups waited for an answer at a time, one of them for %.1f s or more"
                    .formatted(end().word(), mean(), longest.max());
        }
    }

    /// A lookup in the background may take longer than a request without load, and more requests do
    /// not cause more of these lookups.
    private static boolean explains(LoadOutcome.Driven load, Symptoms symptoms, Lookups lookups) {
        if (lookups.end() == End.CLIENT || lookups.share() < WAITING_SHARE) {
            return false; // the engine looks up no names
        }
        if (keptOpen(load, symptoms, lookups)) {
            return false;
        }
        double alone = symptoms.unloadedNanos() / 1e9;
        double asked = underWay(load, symptoms);
        // Some lookups began before the measurement, which makes them look shorter than one alone.
        double atWork = Math.min(load.answersPerSecond() * alone, asked);
        boolean withinRequests =
                atWork > 0
                        && lookups.longest().max()
                                <= OF_REQUEST_ALONE_MAX * alone + SEEN_LATE_SECONDS;
        return lookups.mean() >= EXPLAINS_SHARE * (withinRequests ? atWork : asked);
    }

    /// How many requests are under way at a time, also those that fail: their lookups wait, too. In
    /// an open loop, requests that wait for a connection look nothing up yet; if none ended, every
    /// connection has one.
    private static double underWay(LoadOutcome.Driven load, Symptoms symptoms) {
        if (!(load.loop() instanceof LoadOutcome.Loop.Open)) {
            return load.connections();
        }
        double good = load.throughput() * symptoms.meanNanos();
        double bad =
                (load.answersPerSecond() - load.throughput()) * load.answers().badNanos().getMean();
        double failed = load.failures().failedNanos() / load.seconds();
        double atATime = (good + bad + failed) / 1e9;
        return atATime > 0 ? Math.min(atATime, load.connections()) : load.connections();
    }

    /// Whether the sockets are those that a resolver keeps, such as that of nginx. They are open
    /// for longer than any answer took, so a request that waits for one would have no answer yet,
    /// and too few requests have none.
    private static boolean keptOpen(LoadOutcome.Driven load, Symptoms symptoms, Lookups lookups) {
        double longestAnswer = load.responseNanos().getMaxValue() / 1e9;
        double answering = load.throughput() * symptoms.meanNanos() / 1e9;
        return !symptoms.errorsBegin()
                && lookups.longest().max() > longestAnswer + SEEN_LATE_SECONDS
                && load.inFlight() - answering < EXPLAINS_SHARE * lookups.mean();
    }

    /// Queries that got an ICMP message instead of an answer. ICMP messages for other reasons count
    /// too, so this is an upper bound.
    private static double refused(Observation observation, End end) {
        return refused(
                        observation,
                        end,
                        KernelCounter.UDP_SENT,
                        KernelCounter.UDP_RECEIVED,
                        KernelCounter.UNREACHABLE)
                + refused(
                        observation,
                        end,
                        KernelCounter.UDP6_SENT,
                        KernelCounter.UDP6_RECEIVED,
                        KernelCounter.UNREACHABLE6);
    }

    private static double refused(
            Observation observation,
            End end,
            KernelCounter sent,
            KernelCounter received,
            KernelCounter unreachable) {
        Timeline timeline = observation.timeline();
        double unanswered = timeline.growth(sent, end) - timeline.growth(received, end);
        return Math.min(timeline.growth(unreachable, end), Math.max(0, unanswered));
    }

    private static double failed(Observation observation) {
        LoadOutcome load = observation.load();
        return load.networkErrors() + (double) load.errors(ErrorKind.STATUS_5XX);
    }

    private static double exchanges(Observation observation) {
        return (double) observation.load().answered() + observation.load().networkErrors();
    }

    private static List<Evidence> refusal(Observation observation, End end) {
        List<Evidence> evidence = new ArrayList<>();
        for (KernelCounter counter :
                List.of(KernelCounter.UNREACHABLE, KernelCounter.UNREACHABLE6)) {
            EvidenceFigures.grown(
                            observation,
                            counter,
                            end,
                            "%.0f times the answer was that nothing listens there"::formatted)
                    .ifPresent(evidence::add);
        }
        evidence.addAll(questions(observation, end));
        whom(observation, end).ifPresent(evidence::add);
        return evidence;
    }

    private static List<Evidence> evidence(Observation observation, Lookups lookups) {
        List<Evidence> evidence = new ArrayList<>();
        // Nobody knows how many connections a command or an unseen load has.
        int connections = observation.load().connections();
        evidence.add(
                EvidenceFigures.of(
                        lookups.waiting(),
                        Basis.LEVEL,
                        lookups.waiting().first(),
                        lookups.waiting().max(),
                        connections > 0 ? (double) connections : null,
                        lookups.describe()));
        evidence.addAll(questions(observation, lookups.end()));
        whom(observation, lookups.end()).ifPresent(evidence::add);
        if (lookups.end() == End.SERVER) {
            evidence.addAll(CpuEvidence.used(observation, End.SERVER));
        }
        return evidence;
    }

    private static List<Evidence> questions(Observation observation, End end) {
        if (!observation.facts().ownCounters(end)) {
            return List.of(); // the host's datagrams are those of all programs
        }
        double came = observation.timeline().growth(KernelCounter.UDP_RECEIVED, end);
        double came6 = observation.timeline().growth(KernelCounter.UDP6_RECEIVED, end);
        return Stream.of(
                        EvidenceFigures.grown(
                                observation,
                                KernelCounter.UDP_SENT,
                                end,
                                sent ->
                                        "%.0f UDP datagrams were sent, and %.0f came back"
                                                .formatted(sent, came)),
                        EvidenceFigures.grown(
                                observation,
                                KernelCounter.UDP6_SENT,
                                end,
                                sent ->
                                        "%.0f UDP datagrams were sent over IPv6, and %.0f came back"
                                                .formatted(sent, came6)))
                .flatMap(Optional::stream)
                .toList();
    }

    private static Optional<Evidence> whom(Observation observation, End end) {
        return observation
                .facts()
                .sysctl("resolver", end)
                .map(resolver ->
                        new Evidence(
                                new Key.Derived("resolver"),
                                end,
                                Basis.SETTING,
                                null,
                                null,
                                null,
                                "/etc/resolv.conf",
                                "the resolver is " + resolver));
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        boolean refused =
                binds.evidence().stream()
                        .map(Evidence::counter)
                        .anyMatch(counter ->
                                counter.equals(KernelCounter.UNREACHABLE)
                                        || counter.equals(KernelCounter.UNREACHABLE6));
        return refused ? Proof.KERNEL : Proof.TIMING;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        List<Remedy> remedies = new ArrayList<>();
        boolean server = binds.end() == End.SERVER;
        Resolver resolver = experiment.sandbox().resolver(server);
        if (resolver != null && resolver.servers().size() > 1) {
            remedies.add(
                    asking(server, resolver, resolver.rotated(), "none, if it knows the names"));
        }
        // A knob, such as the time for which answers are kept, goes up to its maximum.
        remedies.addAll(
                Remedy.each(
                        Change.raised(
                                experiment,
                                id(),
                                0,
                                knob -> knob.max() == null ? 0 : Long.MAX_VALUE),
                        "changed names are seen later"));
        if (resolver != null && !resolver.impatient().equals(resolver)) {
            remedies.add(
                    asking(
                            server,
                            resolver,
                            resolver.impatient(),
                            "a lookup that takes longer than a second fails"));
        }
        return List.copyOf(remedies);
    }

    private static Remedy asking(boolean server, Resolver from, Resolver to, String price) {
        return new Remedy(
                List.of(new Change(new Setting.OfResolver(server), from.text(), to.text())), price);
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        return List.of(
                new Advice(
                        "ask each server of /etc/resolv.conf (dig @ADDRESS NAME), and remove the servers that do not answer, or move them to the end",
                        "none"),
                new Advice(
                        "cache answers: a caching resolver on the host, or networkaddress.cache.ttl and networkaddress.cache.negative.ttl in the JVM's java.security",
                        "changed names are seen later, and a failed lookup fails for longer"),
                new Advice(
                        "in /etc/resolv.conf: options timeout:1 attempts:1",
                        "a lookup that takes longer than a second fails"));
    }
}

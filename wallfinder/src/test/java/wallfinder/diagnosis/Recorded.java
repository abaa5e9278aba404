package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.Limits;
import wallfinder.observation.Answers;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.ExchangeCounts;
import wallfinder.observation.HandshakeCost;
import wallfinder.observation.JvmFacts;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Key;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadPart;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.SampleLoad;
import wallfinder.observation.SandboxFacts;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;
import wallfinder.observation.Unloaded;

/// Builds an observation of ten seconds: a healthy one with a test's changes.
final class Recorded {
    static final int SECONDS = 10;

    private final List<Series> series = new ArrayList<>();
    private final List<Series> seriesAlone = new ArrayList<>();
    private final List<LoadOutcome.Target> targets = new ArrayList<>();
    private final List<SandboxFacts.ServiceFacts> services = new ArrayList<>();
    private final TreeMap<String, Long> errors = new TreeMap<>();
    private long failedNanos;
    private final TreeMap<String, String> serverSysctls = new TreeMap<>();
    private final TreeMap<String, String> clientSysctls = new TreeMap<>();
    private int connections = 64;
    private double loadSeconds = SECONDS;
    private long answered = 40_000;
    private final Histogram response = new Histogram(3);
    private final Histogram connect = new Histogram(3);
    private final Histogram batch = new Histogram(3);
    private final Histogram unloaded = new Histogram(3);
    private final Histogram bad = new Histogram(3);
    private final TreeMap<String, Long> badStatuses = new TreeMap<>();
    private long goodAlone = 20;
    private long badAlone;
    private LoadOutcome.@Nullable Tls tls;
    private @Nullable HandshakeCost handshake;
    private boolean command;
    private double idleShare = 0.7;
    private double waitingShare = 0.01;
    private final Map<String, Long> exhausted = new TreeMap<>();
    private LoadOutcome.Stalls stalls = SampleLoad.NO_STALLS;
    private String isolation = "namespaces";
    private boolean watched = true;
    private long inFlight;
    private int serverCpus = 1;
    private int clientCpus = 1;
    private boolean sharedCpus;
    private long repeated;
    private List<LoadPart> parts = List.of();
    private boolean everySecond;
    private Limits most = Limits.NONE;
    private LoadOutcome.Loop loop = new LoadOutcome.Loop.Closed();

    static Recorded healthy() {
        Recorded recorded = new Recorded();
        recorded.unloadedMillis(15);
        recorded.responseMillis(16, 40_000);
        recorded.cpuShare(0.3);
        recorded.grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 0);
        recorded.listener(8080, 0, 4096, 0);
        return recorded;
    }

    Recorded connections(int value) {
        connections = value;
        return this;
    }

    Recorded loadSeconds(double value) {
        loadSeconds = value;
        return this;
    }

    Recorded lockstep() {
        loop = new LoadOutcome.Loop.Lockstep(batch);
        return this;
    }

    /// Eleven samples instead of three; earlier values are spread over them.
    Recorded everySecond() {
        everySecond = true;
        return this;
    }

    private static Series stretched(Series s) {
        if (s.values().length != 3) {
            return s;
        }
        double[] values = new double[SECONDS + 1];
        for (int i = 0; i <= SECONDS; i++) {
            double first = s.values()[i < SECONDS / 2 ? 0 : 1];
            double second = s.values()[i < SECONDS / 2 ? 1 : 2];
            double part = (i < SECONDS / 2 ? i : i - SECONDS / 2) / (SECONDS / 2.0);
            values[i] = first + (second - first) * part;
        }
        return new Series(s.counter(), values);
    }

    /// Unless a test says something else, an answer waits unread for as long as it takes longer
    /// than alone.
    private void leaveUnread() {
        Key unread = ListenFigure.UNREAD.of(8080);
        if (response.getTotalCount() > 0
                && series.stream().noneMatch(one -> one.counter().key().equals(unread))) {
            double perSecond = answered / loadSeconds;
            double atOnce =
                    loop instanceof LoadOutcome.Loop.Closed
                            ? connections
                            : perSecond * response.getMean() / 1e9;
            double waiting = atOnce - perSecond * unloaded.getMean() / 1e9;
            level(unread, End.SERVER, Math.max(0, waiting));
        }
    }

    private Timeline timeline() {
        leaveUnread();
        if (!everySecond) {
            long[] nanos = {0, SECONDS * 500_000_000L, SECONDS * 1_000_000_000L};
            return new Timeline(nanos, List.copyOf(series));
        }
        long[] nanos = LongStream.rangeClosed(0, SECONDS).map(s -> s * 1_000_000_000L).toArray();
        return new Timeline(nanos, series.stream().map(Recorded::stretched).toList());
    }

    Recorded host() {
        isolation = "host";
        return this;
    }

    Recorded unwatched() {
        watched = false;
        return this;
    }

    Recorded command() {
        command = true;
        return this;
    }

    /// A command that reports its answers, but no latency.
    Recorded commandWithAnswers(long answers) {
        response.reset();
        unloaded.reset();
        answered = answers;
        return command();
    }

    /// Connections without an answer to their last request even after the load had stopped.
    Recorded unanswered(long count) {
        inFlight = count;
        return this;
    }

    /// The largest limits that a service can get on the recording's host.
    Recorded most(Limits value) {
        most = value;
        return this;
    }

    Recorded idleShare(double value) {
        idleShare = value;
        return this;
    }

    Recorded waitingShare(double value) {
        waitingShare = value;
        return this;
    }

    Recorded pausedMillis(double longest, long collections) {
        long nanos = (long) (longest * 1e6);
        stalls = new LoadOutcome.Stalls(1, nanos, nanos, collections, nanos);
        return this;
    }

    /// Several hosts drove the load.
    Recorded parts(LoadPart... value) {
        parts = List.of(value);
        return this;
    }

    Recorded exhausted(String what, long times) {
        exhausted.put(what, times);
        return this;
    }

    Recorded unloadedMillis(double millis) {
        return unloadedMillis(millis, 1_000);
    }

    Recorded unloadedMillis(double millis, long count) {
        unloaded.reset();
        return alsoUnloadedMillis(millis, count);
    }

    Recorded alsoUnloadedMillis(double millis, long count) {
        unloaded.recordValueWithCount((long) (millis * 1e6), count);
        return this;
    }

    Recorded responseMillis(double millis, long count) {
        response.reset();
        return alsoResponseMillis(millis, count);
    }

    Recorded alsoResponseMillis(double millis, long count) {
        response.recordValueWithCount((long) (millis * 1e6), count);
        answered = response.getTotalCount() + bad.getTotalCount();
        return this;
    }

    /// Answers that were not expected.
    Recorded bad(int status, double millis, long count) {
        bad.recordValueWithCount((long) (millis * 1e6), count);
        badStatuses.merge(Integer.toString(status), count, Long::sum);
        errors.merge(ErrorKind.ofStatus(status).word(), count, Long::sum);
        answered += count;
        return this;
    }

    /// The answers to the requests before the load.
    Recorded alone(long good, long bad) {
        goodAlone = good;
        badAlone = bad;
        return this;
    }

    Recorded batchMillis(double millis, long count) {
        batch.recordValueWithCount((long) (millis * 1e6), count);
        return this;
    }

    Recorded connectMillis(double millis, long count) {
        connect.recordValueWithCount((long) (millis * 1e6), count);
        return this;
    }

    /// An open loop in which all requests but some found an idle connection.
    Recorded open(double lateMillis, long waited) {
        Histogram late = new Histogram(3);
        late.recordValueWithCount((long) (lateMillis * 1e6), answered - waited);
        loop = new LoadOutcome.Loop.Open(new Arrival.Rate(4_000), waited, late, new Histogram(3));
        return this;
    }

    /// An open loop of this arrival.
    Recorded open(LoadOutcome.Loop.Open open) {
        loop = open;
        return this;
    }

    /// Requests that were sent again over a new connection.
    Recorded repeated(long count) {
        repeated = count;
        return this;
    }

    /// More requests of an open loop that found an idle connection.
    Recorded alsoLate(double millis, long count) {
        if (loop instanceof LoadOutcome.Loop.Open open) {
            open.lateNanos().recordValueWithCount((long) (millis * 1e6), count);
        }
        return this;
    }

    /// The time that connections spent in failed exchanges.
    Recorded failedSeconds(double seconds) {
        failedNanos = (long) (seconds * 1e9);
        return this;
    }

    Recorded error(String kind, long count) {
        errors.put(kind, count);
        return this;
    }

    Recorded cpuShare(double share) {
        return grows(ProcessFigure.CPU.of("users"), End.SERVER, share * SECONDS);
    }

    Recorded busiestThreadShare(double share) {
        return grows(ProcessFigure.BUSIEST_THREAD.of("users"), End.SERVER, share * SECONDS);
    }

    /// A thread that ran or was ready to run for this share of the time.
    Recorded busiestWantedShare(double share) {
        return grows(ProcessFigure.BUSIEST_WANTED.of("users"), End.SERVER, share * SECONDS);
    }

    Recorded cpus(int server, int client) {
        serverCpus = server;
        clientCpus = client;
        return this;
    }

    /// The generator and the services run on the same CPUs.
    Recorded sharing(int cpus, double generatorCpus) {
        sharedCpus = true;
        return cpus(cpus, cpus)
                .grows(LoadFigure.GENERATOR_CPU, End.CLIENT, generatorCpus * SECONDS);
    }

    /// @param others the CPUs that other programs used of the service's CPUs, on average
    /// @param waiting the number of the service's threads that waited for a CPU, on average
    Recorded contended(double others, double waiting) {
        double own =
                series.stream()
                        .filter(s -> s.counter().key().equals(ProcessFigure.CPU.of("users")))
                        .mapToDouble(Series::growth)
                        .sum();
        grows(EndFigure.CPUS_BUSY, End.SERVER, own + others * SECONDS);
        return grows(ProcessFigure.WAITING.of("users"), End.SERVER, waiting * SECONDS);
    }

    Recorded listener(int port, double longest, double limit, double drops) {
        level(ListenFigure.QUEUE.of(port), End.SERVER, longest);
        level(ListenFigure.LIMIT.of(port), End.SERVER, limit);
        return grows(ListenFigure.DROPS.of(port), End.SERVER, drops);
    }

    Recorded serverSysctl(String name, String value) {
        serverSysctls.put(name, value);
        return this;
    }

    Recorded clientSysctl(String name, String value) {
        clientSysctls.put(name, value);
        return this;
    }

    Recorded grows(Key key, End end, double by) {
        return put(key, end, 0, by / 2, by);
    }

    /// A level of the server while single requests came, 50 a second.
    Recorded levelAlone(Key key, double value) {
        double[] values = {value, value, value};
        seriesAlone.add(new Series(key.at(End.SERVER, "test"), values));
        return this;
    }

    /// A counter of the server while single requests came.
    Recorded growsAlone(Key key, double by) {
        double[] values = {0, by / 2, by};
        seriesAlone.add(new Series(key.at(End.SERVER, "test"), values));
        return this;
    }

    /// A load with TLS.
    Recorded handshakes(long full, long resumed) {
        Histogram nanos = new Histogram(3);
        nanos.recordValueWithCount(5_000_000, full + resumed);
        tls =
                new LoadOutcome.Tls(
                        "TLSv1.3",
                        "TLS_AES_256_GCM_SHA384",
                        "OpenSSL 3.0",
                        "any certificate",
                        full + resumed,
                        resumed,
                        nanos,
                        nanos,
                        null);
        return this;
    }

    /// What a handshake costs the services without load.
    Recorded handshakeAlone(HandshakeCost cost) {
        handshake = cost;
        return this;
    }

    private @Nullable Unloaded unloaded() {
        long[] nanos = {0, 1_000_000_000L, 2_000_000_000L};
        return seriesAlone.isEmpty() && handshake == null
                ? null
                : new Unloaded(100, new Timeline(nanos, List.copyOf(seriesAlone)), handshake);
    }

    Recorded level(Key key, End end, double value) {
        return put(key, end, value, value, value);
    }

    Recorded put(Key key, End end, double... values) {
        series.removeIf(s -> s.counter().key().equals(key) && s.end() == end);
        series.add(new Series(key.at(end, "test"), values));
        return this;
    }

    Observation observation() {
        SandboxFacts facts =
                new SandboxFacts(
                        isolation,
                        serverSysctls,
                        clientSysctls,
                        serverCpus,
                        clientCpus,
                        sharedCpus,
                        most,
                        watched,
                        List.copyOf(services),
                        List.of());
        return new Observation(outcome(), timeline(), facts, unloaded());
    }

    /// The diagnosis of the same ends under a load that nobody saw.
    Diagnosis diagnosedUnseen() {
        Observation seen = observation();
        return Diagnosis.of(
                new Observation(new LoadOutcome.Unseen(SECONDS), seen.timeline(), seen.facts()));
    }

    /// A service that listens at these places.
    Recorded service(String name, List<Integer> ports, List<String> unixSockets) {
        services.add(
                new SandboxFacts.ServiceFacts(
                        name, 4711, ports, unixSockets, new TreeMap<>(), null, null));
        return this;
    }

    /// A service on a JVM.
    Recorded jvm(String name, String version) {
        JvmFacts runtime = new JvmFacts(version, "test", "/jvm", List.of(), List.of(), List.of());
        services.add(
                new SandboxFacts.ServiceFacts(
                        name, 4711, List.of(), List.of(), new TreeMap<>(), version, runtime));
        return this;
    }

    private LoadOutcome outcome() {
        if (command) {
            return new LoadOutcome.Command(loadSeconds, 1.0, answered, errors, connections);
        }
        LoadOutcome.Generator generator =
                new LoadOutcome.Generator(1, idleShare, waitingShare, exhausted, stalls);
        return new LoadOutcome.Requests(
                new LoadOutcome.Engine("io_uring", 1.0, generator, parts),
                connections,
                true,
                loop,
                loadSeconds,
                new ExchangeCounts(
                        answered + inFlight, answered, inFlight, answered * 100, connections),
                new LoadOutcome.Failures(errors, new TreeMap<>(), failedNanos),
                new LoadOutcome.Times(response, response, connect),
                unloaded,
                answers(),
                0,
                repeated,
                tls,
                List.copyOf(targets));
    }

    /// One of several requests, which takes so long without load.
    Recorded target(String request, double unloadedMillis) {
        Histogram alone = new Histogram(3);
        alone.recordValueWithCount((long) (unloadedMillis * 1e6), 100);
        targets.add(
                new LoadOutcome.Target(
                        request, answered / 2, new TreeMap<>(), new Histogram(3), alone));
        return this;
    }

    private Answers answers() {
        TreeMap<String, Long> statuses = new TreeMap<>(badStatuses);
        statuses.put("200", response.getTotalCount());
        return new Answers(statuses, badStatuses, bad, goodAlone, badAlone);
    }

    Diagnosis diagnosed() {
        return Diagnosis.of(observation());
    }
}

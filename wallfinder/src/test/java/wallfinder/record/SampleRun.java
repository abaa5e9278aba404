package wallfinder.record;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntToDoubleFunction;
import org.HdrHistogram.Histogram;
import wallfinder.diagnosis.Advice;
import wallfinder.diagnosis.Change;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.diagnosis.Remedy;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Setting;
import wallfinder.observation.Answers;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.ExchangeCounts;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Key;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadOutcome.Loop;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.ResponseFigure;
import wallfinder.observation.SampleLoad;
import wallfinder.observation.SandboxFacts;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;
import wallfinder.record.RunRecord.Rung;
import wallfinder.record.RunRecord.Side;
import wallfinder.record.RunRecord.Trial;

/// Sample runs for the tests of files and reports.
public final class SampleRun {
    static final String STARTED = "2026-11-20T10:15:30Z";
    public static final String EXPERIMENT = "name: accept-queue\nservices: {}\n";
    public static final int SAMPLES = 51;

    /// The bucket of 17 ms, and that of a second ([ResponseFigure]).
    private static final int IN_17_MILLIS = 115;

    private static final int IN_A_SECOND = 144;
    private static final double SECONDS = 5;

    private static final Side WITHOUT =
            new Side(100, 77e6, 0, 10_000, List.of(98.0, 101.0, 100.0, 99.0, 102.0));
    private static final List<Double> WITH = List.of(412.0, 409.0, 410.0, 400.0, 420.0);

    private SampleRun() {}

    /// Two walls: a full accept queue, moved by two settings, and then the CPU.
    public static RunRecord fullLadder() {
        List<Trial> trials = new ArrayList<>();
        trials.add(idle("climb-1-connections-64", 64));
        trials.add(idle("climb-2-connections-128", 128));
        trials.add(queueFull("climb-3-connections-256"));
        for (int pair = 1; pair <= 5; pair++) {
            trials.add(queueFull("verify-1-pair-" + pair + "-before"));
            trials.add(idle("verify-1-pair-" + pair + "-after", 256));
        }
        trials.add(idle("climb-4-connections-512", 512));
        trials.add(cpuBound("climb-5-connections-1024"));
        return run(
                trials, List.of(first(2), last(trials.size() - 1)), "the CPU limits the service");
    }

    /// 200 answers in each of three seconds, and one more in a millisecond.
    public static RunRecord endingWithSliver() {
        long[] nanos = {0, 1_000_000_000L, 2_000_000_000L, 3_000_000_000L, 3_001_000_000L};
        List<Series> series =
                List.of(sampled(LoadFigure.REQUESTS, End.CLIENT, 5, i -> i < 4 ? 200 * i : 601));
        return run(
                List.of(trial("load", healthyLoad(64), new Timeline(nanos, series))),
                List.of(),
                "");
    }

    public static RunRecord emptyLadder() {
        return run(List.of(idle("climb-1-connections-64", 64)), List.of(), "the objective was met");
    }

    public static RunRecord interrupted() {
        Rung open = new Rung(1, null, List.of(), List.of(), List.of());
        return run(
                List.of(idle("climb-1-connections-64", 64), queueFull("climb-2-connections-256")),
                List.of(open),
                "interrupted: what was measured until then is kept");
    }

    public static RunRecord nothingMeasured() {
        return run(List.of(), List.of(), "interrupted before the first measurement");
    }

    /// A load without any answer, in no time.
    public static RunRecord zeroRequests() {
        LoadOutcome load = load(0, 64, new Loop.Closed(), 0, new Histogram(3), new Histogram(3));
        Timeline timeline = new Timeline(new long[0], List.of());
        return run(List.of(trial("load", load, timeline)), List.of(), "");
    }

    /// Names that would end a script or a row if they were not quoted.
    public static RunRecord hostileNames() {
        return named("</script><script>window.bad = 1</script>, \"quoted\"\n");
    }

    /// A run whose experiment, trial and counter have this name.
    public static RunRecord named(String name) {
        LoadOutcome load = healthyLoad(64);
        List<Series> series = new ArrayList<>(loadSeries(800, 16));
        series.add(series(new KernelCounter("listen[80]," + name), End.SERVER, i -> i));
        Timeline timeline = new Timeline(nanos(SAMPLES), series);
        Trial trial = trial("climb " + name, load, timeline);
        return new RunRecord(
                "wallfinder load " + name,
                name,
                STARTED,
                host(),
                List.of(trial),
                List.of(),
                "",
                null);
    }

    public static RunRecord many(int trials, int samples) {
        List<Trial> all = new ArrayList<>();
        for (int i = 0; i < trials; i++) {
            LoadOutcome load = stalledLoad();
            Timeline timeline = new Timeline(nanos(samples), stalledSeries(samples));
            all.add(trial("climb-" + (i + 1) + "-connections-256", load, timeline));
        }
        return run(all, List.of(first(0)), "");
    }

    public static Rung first(int trial) {
        Remedy raise =
                new Remedy(
                        List.of(
                                new Change(new Setting.OfKnob("users", "backlog"), "128", "4096"),
                                new Change(
                                        new Setting.OfSysctl(true, "net.core.somaxconn"),
                                        "128",
                                        "4096")),
                        "kernel memory for connections that wait, only while they wait");
        Remedy alone =
                new Remedy(
                        List.of(new Change(new Setting.OfKnob("users", "backlog"), "128", "4096")),
                        "kernel memory");
        return new Rung(
                trial,
                new Applied(
                        raise,
                        new RatioInterval(4.1, 2.5, 4.8, 5),
                        new RatioInterval(0.08, 0.06, 0.11, 5),
                        WITHOUT,
                        new Side(410, 6.2e6, 0, 10_000, WITH),
                        true),
                List.of(
                        new Applied(
                                new Remedy(
                                        List.of(
                                                new Change(
                                                        new Setting.OfSysctl(
                                                                true, "net.ipv4.tcp_fin_timeout"),
                                                        "60",
                                                        "15")),
                                        "none"),
                                new RatioInterval(0.87, 0.85, 0.88, 5),
                                new RatioInterval(1.2, 1.1, 1.3, 5),
                                WITHOUT,
                                new Side(410, 92e6, 2, 10_000, WITH),
                                false)),
                List.of(
                        new Applied(
                                alone,
                                new RatioInterval(1.0, 0.99, 1.02, 5),
                                new RatioInterval(1.0, 0.9, 1.1, 5),
                                WITHOUT,
                                new Side(410, 6.2e6, 0, 10_000, WITH),
                                false)),
                List.of());
    }

    static Rung last(int trial) {
        return new Rung(
                trial,
                null,
                List.of(),
                List.of(),
                List.of(new Advice("give it more CPUs, or less work for each request", "money")));
    }

    public static RunRecord run(List<Trial> trials, List<Rung> ladder, String ended) {
        return new RunRecord(
                "wallfinder find experiments/accept-queue.yaml",
                "accept-queue",
                STARTED,
                host(),
                trials,
                ladder,
                ended,
                EXPERIMENT);
    }

    private static TreeMap<String, Object> host() {
        return new TreeMap<>(
                Map.of("kernel", "6.18.2", "cpus", 2, "memoryBytes", 8_589_934_592L, "java", "25"));
    }

    static Trial idle(String name, int connections) {
        List<Series> series = new ArrayList<>(loadSeries(connections / 0.016, 16));
        series.addAll(serverSeries(0, 1, 0.3));
        return trial(name, healthyLoad(connections), new Timeline(nanos(SAMPLES), series));
    }

    /// Our own threads never waited for an answer.
    public static Trial generatorBound(String name) {
        LoadOutcome.Requests idle = healthyLoad(64);
        LoadOutcome busy =
                load(
                        idle.answered(),
                        64,
                        new Loop.Closed(),
                        SECONDS,
                        histogram(60, idle.answered()),
                        idle.times().connectNanos(),
                        new LoadOutcome.Generator(1, 0.0, 0.0, Map.of(), SampleLoad.NO_STALLS));
        return trial(name, busy, new Timeline(nanos(SAMPLES), loadSeries(4_000, 60)));
    }

    /// 4,000 requests a second were due; 30 of them waited, 7 were redirected.
    public static RunRecord openLoop() {
        LoadOutcome.Requests idle = healthyLoad(64);
        LoadOutcome open =
                new LoadOutcome.Requests(
                        idle.engine(),
                        idle.connections(),
                        idle.keepalive(),
                        new Loop.Open(
                                new Arrival.Rate(4_000),
                                30,
                                histogram(0.1, 19_000),
                                histogram(0.25, 19_999)),
                        idle.seconds(),
                        idle.exchanges(),
                        idle.failures(),
                        idle.times(),
                        idle.unloadedNanos(),
                        statuses(Map.of("200", 19_993L, "302", 7L)),
                        7,
                        3,
                        null,
                        List.of(
                                new LoadOutcome.Target(
                                        "GET /",
                                        18_000,
                                        new TreeMap<>(),
                                        histogram(2, 18_000),
                                        new Histogram(2)),
                                new LoadOutcome.Target(
                                        "GET /none",
                                        0,
                                        new TreeMap<>(Map.of("closed", 5L)),
                                        new Histogram(2),
                                        new Histogram(2))));
        Timeline timeline = new Timeline(nanos(SAMPLES), loadSeries(4_000, 16));
        return run(List.of(trial("load", open, timeline)), List.of(), "");
    }

    public static Trial queueFull(String name) {
        return trial(name, stalledLoad(), new Timeline(nanos(SAMPLES), stalledSeries(SAMPLES)));
    }

    static Trial cpuBound(String name) {
        Histogram response = new Histogram(3);
        response.recordValueWithCount(60_000_000, 20_000);
        response.recordValueWithCount(310_000_000, 480);
        LoadOutcome load =
                load(20_480, 1024, new Loop.Closed(), SECONDS, response, histogram(2, 1024));
        List<Series> series = new ArrayList<>(loadSeries(4_096, 66));
        series.addAll(serverSeries(0, 3, 0.99));
        return trial(name, load, new Timeline(nanos(SAMPLES), series));
    }

    static LoadOutcome.Requests healthyLoad(int connections) {
        int answered = (int) (connections / 0.016 * SECONDS);
        return load(
                answered,
                connections,
                new Loop.Closed(),
                SECONDS,
                histogram(16, answered),
                histogram(1, connections));
    }

    private static LoadOutcome stalledLoad() {
        Histogram response = new Histogram(3);
        response.recordValueWithCount(17_000_000, 1_000);
        response.recordValueWithCount(1_040_000_000, 280);
        Histogram connect = new Histogram(3);
        connect.recordValueWithCount(1_000_000, 1_000);
        connect.recordValueWithCount(1_020_000_000, 280);
        Loop lockstep = new Loop.Lockstep(histogram(1_040, 5));
        return load(1_280, 256, lockstep, SECONDS, response, connect);
    }

    private static LoadOutcome.Requests load(
            long answered,
            int connections,
            Loop loop,
            double seconds,
            Histogram response,
            Histogram connect) {
        LoadOutcome.Stalls stalls = new LoadOutcome.Stalls(2, 5_100_000, 3_100_000, 1, 3_000_000);
        return load(
                answered,
                connections,
                loop,
                seconds,
                response,
                connect,
                new LoadOutcome.Generator(1, 0.8, 0.01, Map.of(), stalls));
    }

    private static LoadOutcome.Requests load(
            long answered,
            int connections,
            Loop loop,
            double seconds,
            Histogram response,
            Histogram connect,
            LoadOutcome.Generator generator) {
        TreeMap<String, Long> errors = new TreeMap<>();
        errors.put("connect-refused", 0L);
        errors.put("timeout", 0L);
        boolean keepalive = !(loop instanceof Loop.Lockstep);
        return new LoadOutcome.Requests(
                new LoadOutcome.Engine("io_uring", 0.8, generator),
                connections,
                keepalive,
                loop,
                seconds,
                new ExchangeCounts(
                        answered, answered, 0, answered * 180, keepalive ? connections : answered),
                new LoadOutcome.Failures(errors, new TreeMap<>(), 0),
                new LoadOutcome.Times(response, response, connect),
                answered == 0 ? new Histogram(3) : histogram(15, 20),
                statuses(Map.of("200", answered)),
                0,
                0,
                null,
                List.of());
    }

    private static Answers statuses(Map<String, Long> counts) {
        return new Answers(new TreeMap<>(counts), new TreeMap<>(), new Histogram(3), 20, 0);
    }

    static Histogram histogram(double millis, long count) {
        Histogram histogram = new Histogram(3);
        histogram.recordValueWithCount((long) (millis * 1e6), count);
        return histogram;
    }

    static Trial trial(String name, LoadOutcome load, Timeline timeline) {
        SandboxFacts facts =
                new SandboxFacts(
                        "namespaces",
                        new TreeMap<>(Map.of("net.core.somaxconn", "128")),
                        new TreeMap<>(),
                        1,
                        1,
                        false,
                        Limits.NONE,
                        true,
                        List.of(
                                new SandboxFacts.ServiceFacts(
                                        "users",
                                        4711,
                                        List.of(8080),
                                        List.of(),
                                        new TreeMap<>(Map.of("backlog", "128")),
                                        "25.0.1",
                                        null)),
                        List.of());
        Observation observation = new Observation(load, timeline, facts);
        TreeMap<String, String> factors = new TreeMap<>();
        factors.put("connections", Integer.toString(load.connections()));
        factors.put("backlog", "128");
        List<Caveat> caveats =
                List.of(
                        Caveat.read(
                                "host-busy", "other programs used 12 % of the CPUs: stop them"));
        return new Trial(name, factors, observation, Diagnosis.of(observation), caveats, null)
                .as(name.startsWith("climb") ? RunRecord.Role.CLIMB : RunRecord.Role.PAIR_WITH);
    }

    static long[] nanos(int samples) {
        long[] nanos = new long[samples];
        for (int i = 0; i < samples; i++) {
            nanos[i] = (long) (i * SECONDS * 1e9 / (samples - 1));
        }
        return nanos;
    }

    /// A rate that wavers a little.
    private static List<Series> loadSeries(double rate, double millis) {
        IntToDoubleFunction requests =
                i -> Math.floor(rate * i * SECONDS / (SAMPLES - 1) + rate * 0.004 * Math.sin(i));
        return List.of(
                series(LoadFigure.REQUESTS, End.CLIENT, requests),
                series(
                        LoadFigure.RESPONSE_MICROS_SUM,
                        End.CLIENT,
                        i -> requests.applyAsDouble(i) * millis * 1e3));
    }

    /// Batches of 256, of which the last 56 wait for a second.
    private static List<Series> stalledSeries(int samples) {
        List<Series> series = new ArrayList<>();
        int perBatch = Math.max(2, samples / 5);
        IntToDoubleFunction requests =
                i ->
                        (i / perBatch) * 256.0
                                + (i % perBatch == 0 ? 0 : i % perBatch == 1 ? 150 : 200);
        IntToDoubleFunction micros =
                i -> requests.applyAsDouble(i) * 17e3 + (i / perBatch) * 56 * 1.02e6;
        series.add(sampled(LoadFigure.REQUESTS, End.CLIENT, samples, requests));
        series.add(sampled(LoadFigure.RESPONSE_MICROS_SUM, End.CLIENT, samples, micros));
        IntToDoubleFunction slow = i -> (i / perBatch) * 56.0;
        series.add(
                sampled(
                        ResponseFigure.of(IN_17_MILLIS),
                        End.CLIENT,
                        samples,
                        i -> requests.applyAsDouble(i) - slow.applyAsDouble(i)));
        series.add(sampled(ResponseFigure.of(IN_A_SECOND), End.CLIENT, samples, slow));
        IntToDoubleFunction overflows = i -> ((i + perBatch - 1) / perBatch) * 56.0;
        series.add(sampled(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, samples, overflows));
        series.add(sampled(ListenFigure.DROPS.of(8080), End.SERVER, samples, overflows));
        series.add(sampled(ListenFigure.LIMIT.of(8080), End.SERVER, samples, i -> 128));
        series.add(
                sampled(
                        ListenFigure.QUEUE.of(8080),
                        End.SERVER,
                        samples,
                        i -> i % perBatch == 1 ? 129 : 0));
        series.add(sampled(KernelCounter.SYN_RETRANS, End.CLIENT, samples, overflows));
        series.add(
                sampled(
                        ProcessFigure.CPU.of("users"),
                        End.SERVER,
                        samples,
                        i -> 0.08 * i * SECONDS / (samples - 1)));
        return series;
    }

    private static List<Series> serverSeries(double overflows, double longest, double cpuShare) {
        return List.of(
                series(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, i -> overflows),
                series(ListenFigure.QUEUE.of(8080), End.SERVER, i -> longest),
                series(ListenFigure.LIMIT.of(8080), End.SERVER, i -> 4096),
                series(ListenFigure.DROPS.of(8080), End.SERVER, i -> 0),
                series(ProcessFigure.RSS.of("users"), End.SERVER, i -> Double.NaN),
                series(
                        ProcessFigure.CPU.of("users"),
                        End.SERVER,
                        i -> cpuShare * i * SECONDS / (SAMPLES - 1)));
    }

    static Series series(Key key, End end, IntToDoubleFunction value) {
        return sampled(key, end, SAMPLES, value);
    }

    private static Series sampled(Key key, End end, int samples, IntToDoubleFunction value) {
        double[] values = new double[samples];
        for (int i = 0; i < samples; i++) {
            values[i] = value.applyAsDouble(i);
        }
        return new Series(key.at(end, "/proc/net/netstat"), values);
    }
}

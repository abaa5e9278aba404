package wallfinder.lab.doctor;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.HdrHistogram.Histogram;
import wallfinder.linux.EnvironmentException;
import wallfinder.load.LoadPlan;
import wallfinder.load.LoadRun;
import wallfinder.load.SmallLoad;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.Key;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.RequestCost;
import wallfinder.sampling.ProcessReader;

/// Measures what one request and one connection cost a service. One connection sends requests for
/// three seconds, or for seven if the service uses little CPU time. Then sixteen connections send
/// requests for one second. This is not a load, and it happens only if the user asks for it.
final class CostProbe implements AutoCloseable {
    private static final String SERVICE = "probed";
    private static final Duration WARM_UP = Duration.ofSeconds(1);
    private static final Duration PART = Duration.ofSeconds(1);
    private static final Duration TOGETHER_MAX = Duration.ofSeconds(1);
    private static final Duration SETTLE_MAX = Duration.ofMillis(500);
    private static final long LOOK_NANOS = 5_000_000;
    private static final int CONNECTIONS = 16;

    /// Enough for each connection to get more than one answer.
    private static final long ANSWERS = 3L * CONNECTIONS;

    /// The host causes the slowest 5 % of the answers as often as the service does.
    private static final double COUNTED_SHARE = 0.95;

    /// The kernel counts CPU time in hundredths of a second: a smaller amount is not known to
    /// within 5 %.
    private static final double CPU_SECONDS_MIN = 0.2;

    /// This much CPU time is known to within 2 %. The probe continues until the service has used
    /// it.
    private static final double CPU_SECONDS_ENOUGH = 0.5;

    private static final int PARTS_MAX = 6;

    /// The cost has settled if two halves differ by at most this share.
    private static final double SETTLED = 0.15;

    /// A JVM fully compiles code after about this many calls (`Tier4InvocationThreshold`).
    private static final long JVM_REQUESTS_MIN = 10_000;

    /// A figure this close to a whole number is rounded to it.
    private static final double WHOLE = 0.2;

    private final IntFunction<LoadPlan> plans;
    private final boolean jvm;
    private final ProcessReader reader;
    private final double[] values;

    /// @param plans a closed loop with a given number of connections
    /// @param pid the service's process
    /// @param jvm whether the service runs on a JVM
    CostProbe(IntFunction<LoadPlan> plans, long pid, boolean jvm) {
        this.plans = plans;
        this.jvm = jvm;
        this.reader = new ProcessReader(End.SERVER, SERVICE, () -> pid);
        this.values = new double[reader.counters().size()];
    }

    /// Requests that one connection sent one after the other.
    private record Part(Histogram serviceNanos, long answered, double cpuSeconds) {
        double each() {
            return cpuSeconds / answered;
        }

        boolean like(Part other) {
            return Math.abs(each() / other.each() - 1) <= SETTLED;
        }

        Part and(Part other) {
            Histogram both = serviceNanos.copy();
            both.add(other.serviceNanos);
            return new Part(both, answered + other.answered, cpuSeconds + other.cpuSeconds);
        }
    }

    /// @throws EnvironmentException if nothing answers
    RequestCost measure() {
        double idle = value(ProcessFigure.THREADS);
        LoadOutcome first = SmallLoad.run(plans.apply(1), Long.MAX_VALUE, WARM_UP);
        Part all = part();
        Part earlier = all;
        Part later = part();
        all = all.and(later);
        for (int i = 2;
                i < PARTS_MAX && !(all.cpuSeconds() >= CPU_SECONDS_ENOUGH && later.like(earlier));
                i += 2) {
            earlier = later.like(earlier) ? earlier.and(later) : later;
            later = part().and(part());
            all = earlier.and(later);
        }
        boolean settled =
                later.like(earlier)
                        && (!jvm || first.answered() + all.answered() >= JVM_REQUESTS_MIN);
        boolean ended = await(SETTLE_MAX, () -> value(ProcessFigure.THREADS) <= idle);
        double threads = ended ? idle : value(ProcessFigure.THREADS);
        double descriptors = value(ProcessFigure.DESCRIPTORS);
        RequestCost alone =
                new RequestCost(
                        mean(all.serviceNanos()) / 1e9,
                        all.cpuSeconds() >= CPU_SECONDS_MIN ? all.each() : Double.NaN,
                        settled,
                        Double.NaN,
                        Double.NaN);
        return together(alone, threads, descriptors);
    }

    private Part part() {
        double before = value(ProcessFigure.CPU);
        LoadOutcome.Requests alone = SmallLoad.run(plans.apply(1), Long.MAX_VALUE, PART);
        if (alone.answered() == 0) {
            throw new EnvironmentException(
                    "the service cannot be probed",
                    "the service answered none of the requests: " + alone.errors().keySet(),
                    "check the URL, or leave --probe out");
        }
        return new Part(
                alone.times().serviceNanos(), alone.answered(), value(ProcessFigure.CPU) - before);
    }

    private RequestCost together(
            RequestCost alone, double threadsBefore, double descriptorsBefore) {
        try (LoadRun run = LoadRun.start(plans.apply(CONNECTIONS))) {
            boolean ignored = await(TOGETHER_MAX, () -> run.progress().requests() >= ANSWERS);
            double threads = value(ProcessFigure.THREADS) - threadsBefore;
            double descriptors =
                    (value(ProcessFigure.DESCRIPTORS) - descriptorsBefore) / CONNECTIONS;
            LoadOutcome _ = run.finish(Duration.ZERO);
            return new RequestCost(
                    alone.seconds(),
                    alone.cpuSeconds(),
                    alone.settled(),
                    threads(threads),
                    descriptors >= 1 - WHOLE ? rounded(descriptors) : 1);
        }
    }

    /// Threads per connection. `NaN` for a pool that grows by a few threads, which shows nothing.
    private static double threads(double more) {
        return more <= 1
                ? 0
                : more >= CONNECTIONS * (1 - WHOLE) ? rounded(more / CONNECTIONS) : Double.NaN;
    }

    private static double rounded(double each) {
        double whole = Math.rint(each);
        return Math.abs(each - whole) <= WHOLE ? whole : each;
    }

    private static double mean(Histogram nanos) {
        long counted = (long) Math.ceil(nanos.getTotalCount() * COUNTED_SHARE);
        long left = counted;
        double sum = 0;
        for (var value : nanos.recordedValues()) {
            long count = Math.min(left, value.getCountAtValueIteratedTo());
            sum += (double) count * value.getValueIteratedTo();
            left -= count;
        }
        return sum / counted;
    }

    private double value(ProcessFigure figure) {
        reader.readInFullNext();
        reader.read(values, 0);
        List<Key> keys = reader.counters().stream().map(Counter::key).toList();
        return values[keys.indexOf(figure.of(SERVICE))];
    }

    private static boolean await(Duration longest, BooleanSupplier fact) {
        long end = System.nanoTime() + longest.toNanos();
        while (!fact.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
        return true;
    }

    @Override
    public void close() {
        reader.close();
    }
}

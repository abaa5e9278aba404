package wallfinder.sampling;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.Caveat;
import wallfinder.observation.Counter;
import wallfinder.observation.Doubt;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.Key;
import wallfinder.observation.Reader;
import wallfinder.observation.Timeline;

/// Reads all counters of a measurement on a separate thread. The pauses between two samples are
/// random, from half the interval to one and a half. So the sampler cannot keep step with something
/// that comes back regularly, such as a batch of requests or the period of a CPU quota.
///
/// If all readers together take more than 1 % of a core, it takes half as many samples from then
/// on, or a quarter. It drops as many of the earlier ones, so that a mean weighs all moments alike.
///
/// It takes the first sample before [#start] returns and the last one before [#stop] returns, so
/// growth is exact. It closes the readers at the end.
public final class Sampler implements AutoCloseable {
    /// Keeps at most this many samples; in longer measurements it keeps every second one, every
    /// fourth one, and so on.
    public static final int SAMPLES_MAX = Samples.SAMPLES_MAX;

    private static final long READ_SECONDS_MAX = 30;
    private static final Duration SHORT_INTERVAL = Duration.ofMillis(25);

    /// With fewer samples, a moment without answers would be missed.
    private static final int LONGER_MAX = 4;

    private final List<Reader> readers;
    private final int[] columnsOfReader;

    /// Readers that met what they cannot read; of the sampling thread.
    private final boolean[] broken;

    private final List<Counter> counters;
    private final Map<End, Map<Key, Integer>> columns = new EnumMap<>(End.class);
    private final long intervalNanos;
    private final SplittableRandom random = new SplittableRandom(1);
    private final CpuAllowance allowance = new CpuAllowance();
    private final boolean sparing;
    private final SampleSink sink;
    private int longer = 1; // of the sampling thread
    private final Samples samples;
    private final CountDownLatch first = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "sampler");
    private volatile boolean stopping;
    private volatile long startNanos;
    private volatile double[] latest;
    private volatile @Nullable Recent recent;
    private volatile double cpuSeconds;
    private volatile @Nullable Throwable failure;
    private volatile List<Caveat> caveats = List.of();
    private long failedReads; // of the sampling thread

    private Sampler(List<Reader> readers, Duration interval, boolean sparing, SampleSink sink) {
        this.sink = sink;
        this.readers = List.copyOf(readers);
        this.intervalNanos = interval.toNanos();
        this.sparing = sparing;
        broken = new boolean[this.readers.size()];
        columnsOfReader = this.readers.stream().mapToInt(r -> r.counters().size()).toArray();
        counters = counters(this.readers);
        samples = new Samples(SAMPLES_MAX, counters.size());
        latest = new double[counters.size()];
        Arrays.fill(latest, Double.NaN);
        for (int i = 0; i < counters.size(); i++) {
            Counter counter = counters.get(i);
            columns.computeIfAbsent(counter.end(), e -> new HashMap<>())
                    .putIfAbsent(counter.key(), i);
        }
        thread.setDaemon(true);
    }

    /// @param readers created for this measurement; the sampler closes them at its end
    /// @throws EnvironmentException if a reader cannot read at all
    public static Sampler start(List<Reader> readers, Duration interval) {
        return start(readers, interval, SampleSink.NONE);
    }

    /// @param sink gets each sample when it is taken
    public static Sampler start(List<Reader> readers, Duration interval, SampleSink sink) {
        return start(readers, interval, true, sink);
    }

    /// @param sparing whether it takes fewer samples once they have taken more than 1 % of a core
    static Sampler start(
            List<Reader> readers, Duration interval, boolean sparing, SampleSink sink) {
        if (interval.isZero() || interval.isNegative()) {
            throw new IllegalArgumentException("interval " + interval);
        }
        Sampler sampler = new Sampler(readers, interval, sparing, sink);
        sampler.thread.start();
        await(sampler.first);
        sampler.throwFailure();
        return sampler;
    }

    /// For single requests, which are over in a second or two: 40 samples a second, at any cost.
    public static Sampler startShort(List<Reader> readers) {
        return startShort(readers, SampleSink.NONE);
    }

    /// Closes the readers of a whole end: they say nothing about one answer, and take CPU. It keeps
    /// the reader of the server's CPUs, which shows whether other programs use them.
    ///
    /// @param sink gets each sample when it is taken
    public static Sampler startShort(List<Reader> readers, SampleSink sink) {
        List<Reader> kept = readers.stream().filter(Sampler::isForSingleRequests).toList();
        readers.stream().filter(one -> !isForSingleRequests(one)).forEach(Reader::close);
        for (Reader reader : kept) {
            if (reader instanceof Paced paced) {
                paced.hurry();
            }
        }
        return start(kept, SHORT_INTERVAL, false, sink);
    }

    private static boolean isForSingleRequests(Reader reader) {
        return reader.counters().stream()
                .filter(one -> one.end() == End.SERVER)
                .anyMatch(one -> one.key() instanceof Key.Of || one.key() == EndFigure.CPUS_BUSY);
    }

    public Timeline stop() {
        close();
        throwFailure();
        Set<Counter> found =
                readers.stream()
                        .flatMap(reader -> reader.found().stream())
                        .collect(Collectors.toSet());
        List<Counter> all = counters(readers);
        sink.end(all, found);
        return found(samples.timeline(all), found);
    }

    /// The timeline without the counters that nobody found.
    static Timeline found(Timeline all, Set<Counter> found) {
        return new Timeline(
                all.nanos(),
                all.series().stream().filter(s -> found.contains(s.counter())).toList());
    }

    private static List<Counter> counters(List<Reader> readers) {
        return readers.stream().flatMap(reader -> reader.counters().stream()).toList();
    }

    /// Stops the sampler if it is still running.
    @Override
    public void close() {
        stopping = true;
        LockSupport.unpark(thread);
        await(ended);
    }

    /// The last value, for a display while it runs; `NaN` if there is none.
    public double latest(Key key, End end) {
        Integer column = columns.getOrDefault(end, Map.of()).get(key);
        return column == null ? Double.NaN : latest[column];
    }

    /// The newest values of services, listeners and destinations as a timeline of one second, for a
    /// display while it runs. Collects them from the first call on.
    public Timeline recent() {
        Recent known = recent;
        if (known == null) {
            known = new Recent(counters);
            recent = known;
        }
        return known.timeline();
    }

    /// The time of the first sample by [System#nanoTime]: the zero of the timeline.
    public long startNanos() {
        return startNanos;
    }

    public double cpuSeconds() {
        return cpuSeconds;
    }

    public List<Caveat> caveats() {
        return caveats;
    }

    private void run() {
        try (SampledFile ownTimes = new SampledFile(Path.of("/proc/thread-self/schedstat"))) {
            startNanos = System.nanoTime();
            double[] row = readAll(ownTimes, true);
            samples.add(0, row);
            sink.begin(counters, startNanos);
            sink.add(0, row);
            first.countDown();
            sampleUntilStopped(ownTimes);
            for (Reader reader : readers) {
                if (reader instanceof Paced paced) {
                    paced.readInFullNext();
                }
            }
            long now = System.nanoTime() - startNanos;
            double[] last = readAll(ownTimes, false);
            samples.addLast(now, last);
            sink.addLast(now, last);
        } catch (RuntimeException | Error e) {
            failure = e;
        } finally {
            readers.forEach(Reader::close);
            first.countDown();
            ended.countDown();
        }
    }

    private void sampleUntilStopped(SampledFile ownTimes) {
        long due = pauseNanos(0);
        while (!stopping) {
            long now = System.nanoTime() - startNanos;
            if (now < due) {
                LockSupport.parkNanos(due - now);
            } else {
                double[] row = readAll(ownTimes, false);
                samples.add(now, row);
                sink.add(now, row);
                due = now + pauseNanos(System.nanoTime() - startNanos);
            }
        }
    }

    private long pauseNanos(long now) {
        if (sparing && longer < LONGER_MAX && allowance.isExceeded(now, cpuSeconds * 1e9)) {
            samples.halve();
            sink.halve();
            longer *= 2;
        }
        return pauseNanos(longer * intervalNanos, random);
    }

    static long pauseNanos(long intervalNanos, RandomGenerator random) {
        return (long) (intervalNanos * random.nextDouble(0.5, 1.5));
    }

    private double[] readAll(SampledFile ownTimes, boolean firstTime) {
        double[] row = new double[counters.size()];
        int from = 0;
        for (int i = 0; i < columnsOfReader.length; i++) {
            try {
                if (broken[i]) {
                    Arrays.fill(row, from, from + columnsOfReader[i], Double.NaN);
                } else {
                    readers.get(i).read(row, from);
                }
            } catch (EnvironmentException e) {
                if (firstTime) {
                    throw e;
                }
                Arrays.fill(row, from, from + columnsOfReader[i], Double.NaN);
                failedReads++;
                caveats = List.of(missing(e));
            } catch (RuntimeException e) {
                // What it reads may be anybody's. The other readers go on.
                Arrays.fill(row, from, from + columnsOfReader[i], Double.NaN);
                broken[i] = true;
                caveats = List.of(broken(readers.get(i), e));
            }
            from += columnsOfReader[i];
        }
        latest = row;
        Recent shown = recent;
        if (shown != null) {
            shown.add(System.nanoTime() - startNanos, row);
        }
        cpuSeconds = ownTimes.number() / 1e9;
        return row;
    }

    private static Caveat broken(Reader reader, RuntimeException cause) {
        return Doubt.SAMPLES_MISSING.caveat(
                "%s stopped at something that it could not read (%s): "
                        .formatted(reader.getClass().getSimpleName(), cause),
                "report it with the run's folder");
    }

    private Caveat missing(EnvironmentException cause) {
        String what = failedReads + " readings failed (" + cause.getMessage() + "): ";
        return Doubt.SAMPLES_MISSING.caveat(what, cause.todo());
    }

    private void throwFailure() {
        Throwable thrown = failure;
        if (thrown instanceof EnvironmentException e) {
            throw e;
        }
        if (thrown != null) {
            throw new IllegalStateException("sampling failed", thrown);
        }
    }

    /// Waits even if this thread is interrupted, as on Ctrl-C, to keep what was measured.
    private static void await(CountDownLatch latch) {
        boolean interrupted = false;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(READ_SECONDS_MAX);
        boolean done = false;
        while (!done) {
            try {
                if (!latch.await(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    throw new IllegalStateException(
                            "a sample took over " + READ_SECONDS_MAX + " s");
                }
                done = true;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

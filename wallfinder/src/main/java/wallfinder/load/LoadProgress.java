package wallfinder.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.FailureFigure;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.Reader;

/// What a running load has counted since its start. Reading does not disturb its threads.
public final class LoadProgress implements Reader {
    /// The longest time of a histogram; longer ones count as this.
    public static final long NANOS_MAX = Tally.NANOS_MAX;

    private static final double NANOS_PER_SECOND = 1e9;
    private static final List<ErrorKind> KINDS = List.of(ErrorKind.values());
    static final String ENGINE = "the load engine";
    private static final String SCHEDSTAT = "/proc/self/task/TID/schedstat";

    private final List<? extends EngineThread> threads;
    private final @Nullable ThreadClock[] clocks;
    private final ThreadTimes[] last;
    private final OwnCpu ownCpu = new OwnCpu();

    LoadProgress(List<? extends EngineThread> threads) {
        this.threads = List.copyOf(threads);
        last = new ThreadTimes[threads.size()];
        Arrays.fill(last, ThreadTimes.NONE);
        clocks = new ThreadClock[threads.size()];
    }

    /// Complete answers.
    public long requests() {
        return sum(Tally.REQUESTS);
    }

    public long good() {
        return sum(Tally.GOOD);
    }

    public long errors() {
        return sum(Tally.ERRORS);
    }

    /// Open connections.
    public long connections() {
        return sum(Tally.OPEN);
    }

    /// An empty histogram for [#responses].
    Histogram histogram() {
        return new Histogram(threads.getFirst().state().tally.responseNanos);
    }

    /// Adds the response times of the good answers so far to a histogram. The threads go on
    /// counting meanwhile and take no notice: some of the newest answers may be missing, and after
    /// a mark some of the older ones may still be there.
    void responses(Histogram into) {
        for (EngineThread thread : threads) {
            into.add(thread.state().tally.responseNanos);
        }
    }

    /// A reader of the response times of the good answers.
    public Reader responseTimes() {
        return new ResponseTimes(threads);
    }

    long sum(int which) {
        long sum = 0;
        for (EngineThread thread : threads) {
            sum += thread.state().tally.published(which);
        }
        return sum;
    }

    private long failures(ErrorKind kind) {
        long sum = 0;
        for (EngineThread thread : threads) {
            sum += thread.state().tally.failures(kind);
        }
        return sum;
    }

    @Override
    public List<Counter> counters() {
        Stream<Counter> figures =
                Stream.of(
                        LoadFigure.REQUESTS.at(End.CLIENT, ENGINE),
                        LoadFigure.ERRORS.at(End.CLIENT, ENGINE),
                        LoadFigure.GOOD.at(End.CLIENT, ENGINE),
                        LoadFigure.CONNECTIONS_OPENED.at(End.CLIENT, ENGINE),
                        LoadFigure.RESPONSE_MICROS_SUM.at(End.CLIENT, ENGINE),
                        LoadFigure.CONNECTIONS.at(End.CLIENT, ENGINE),
                        LoadFigure.GENERATOR_CPU.at(End.CLIENT, SCHEDSTAT),
                        LoadFigure.GENERATOR_WAITING.at(End.CLIENT, SCHEDSTAT),
                        LoadFigure.GENERATOR_THREADS.at(End.CLIENT, ENGINE),
                        LoadFigure.GENERATOR_PROGRAM_CPU.at(End.CLIENT, OwnCpu.STAT.toString()));
        Stream<Counter> failures =
                KINDS.stream().map(kind -> FailureFigure.COUNT.of(kind).at(End.CLIENT, ENGINE));
        return Stream.concat(figures, failures).toList();
    }

    @Override
    public void read(double[] values, int from) {
        long cpuNanos = 0;
        long waitingNanos = 0;
        for (int i = 0; i < last.length; i++) {
            last[i] = times(i);
            cpuNanos += last[i].cpuNanos();
            waitingNanos += last[i].waitingNanos();
        }
        for (int which = 0; which < Tally.PUBLISHED; which++) {
            values[from + which] = sum(which);
        }
        int next = from + Tally.PUBLISHED;
        values[next] = cpuNanos / NANOS_PER_SECOND;
        values[next + 1] = waitingNanos / NANOS_PER_SECOND;
        values[next + 2] = last.length;
        values[next + 3] = ownCpu.seconds();
        next += 4;
        for (ErrorKind kind : KINDS) {
            values[next++] = failures(kind);
        }
    }

    /// The last known times once the thread has ended.
    private ThreadTimes times(int index) {
        ThreadClock clock = clocks[index];
        try {
            if (clock == null) {
                clock = new ThreadClock(threads.get(index).state().threadId);
                clocks[index] = clock;
            }
            return clock.read();
        } catch (IOException e) {
            return last[index];
        }
    }

    @Override
    public void close() {
        ownCpu.close();
        for (ThreadClock clock : clocks) {
            try {
                if (clock != null) {
                    clock.close();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}

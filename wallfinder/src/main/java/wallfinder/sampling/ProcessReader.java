package wallfinder.sampling;

import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Reader;

/// The figures of [ProcessFigure] for a process with its descendants. All but `ended` are `NaN`
/// before the process starts and after it has ended.
///
/// It looks for descendants and limits once a second, or up to every 5 seconds if that would take
/// more than 0.025 % of a CPU, and for threads up to every 10 seconds (from about 25 threads on).
/// It reads everything else at each sample, and everything at the first and the last. More than 256
/// processes are read as often as it looks for descendants. `waiting`, `busiestThread` and
/// `busiestWanted` count from the construction of the reader, over the oldest 8,192 threads.
/// `descriptors` and `descriptorLimit` belong to the process that is nearest to its limit; the
/// other figures are sums.
public final class ProcessReader implements Reader, Paced {
    private static final int COUNTERS = 13;

    private final End end;
    private final String service;
    private final Supplier<long[]> rootPids;
    private final List<Counter> counters;
    private final Pace pace;
    private final Pace threadsPace;
    private final ProcessTree tree = new ProcessTree();
    private final ThreadScan threads = new ThreadScan();
    private final Descriptors descriptors = new Descriptors();

    /// @param rootPid the first process, asked once a second; 0 or less while it does not exist
    public ProcessReader(End end, String service, LongSupplier rootPid) {
        this(end, service, rootPid, System::nanoTime);
    }

    ProcessReader(End end, String service, LongSupplier rootPid, LongSupplier clock) {
        this(end, service, () -> new long[] {rootPid.getAsLong()}, clock);
    }

    /// Reads several processes as one, such as those of a cgroup. Asks for them once a second.
    static ProcessReader ofSeveral(End end, String service, Supplier<long[]> rootPids) {
        return new ProcessReader(end, service, rootPids, System::nanoTime);
    }

    private ProcessReader(End end, String service, Supplier<long[]> rootPids, LongSupplier clock) {
        this.end = end;
        this.service = service;
        this.rootPids = rootPids;
        pace = Pace.cheaply(clock);
        threadsPace = Pace.cheaplyAfterAFew(clock);
        counters =
                List.of(
                        counter(ProcessFigure.CPU, "stat"),
                        counter(ProcessFigure.WAITING, "task/TID/schedstat"),
                        counter(ProcessFigure.BUSIEST_THREAD, "task/TID/schedstat"),
                        counter(ProcessFigure.BUSIEST_WANTED, "task/TID/schedstat"),
                        counter(ProcessFigure.DESCRIPTORS, "fd"),
                        counter(ProcessFigure.DESCRIPTOR_LIMIT, "limits"),
                        counter(ProcessFigure.RSS, "stat"),
                        counter(ProcessFigure.THREADS, "stat"),
                        counter(ProcessFigure.MAJOR_FAULTS, "stat"),
                        counter(ProcessFigure.RECEIVING, "task/TID/wchan"),
                        counter(ProcessFigure.QUEUEING, "task/TID/wchan"),
                        counter(ProcessFigure.SPINNING, "task/TID/schedstat"),
                        counter(ProcessFigure.ENDED, "stat"));
    }

    End end() {
        return end;
    }

    String service() {
        return service;
    }

    /// The processes with the figures of their last reading.
    List<ProcessStat> members() {
        return tree.members();
    }

    /// Whether a thread ran between the last two scans, as far as is known.
    boolean ran(int tid) {
        return threads.ran(tid);
    }

    /// Whether the process nearest to its limit has a tenth of its descriptors left.
    boolean descriptorsLeft() {
        return !(descriptors.count() > JvmAsking.USED_SHARE_MAX * descriptors.limit());
    }

    private Counter counter(ProcessFigure figure, String file) {
        return figure.of(service).at(end, "/proc/PID/" + file);
    }

    @Override
    public List<Counter> counters() {
        return counters;
    }

    @Override
    public void readInFullNext() {
        pace.force();
        threadsPace.force();
    }

    @Override
    public void read(double[] values, int from) {
        boolean scanned = pace.run(this::scan);
        threadsPace.run(() -> threads.scan(tree.members()));
        if (!tree.isCrowd()) {
            tree.read();
        }
        values[from + COUNTERS - 1] = tree.ended();
        if (!tree.isAlive()) {
            Arrays.fill(values, from, from + COUNTERS - 1, Double.NaN);
            return;
        }
        if (!scanned) {
            descriptors.recount();
        }
        values[from] = tree.cpuSeconds();
        values[from + 1] = threads.waitingSeconds();
        values[from + 2] = threads.busiestSeconds();
        values[from + 3] = threads.busiestWantedSeconds();
        values[from + 4] = descriptors.count();
        values[from + 5] = descriptors.limit();
        values[from + 6] = sum(ProcessStat::rssBytes);
        values[from + 7] = sum(ProcessStat::threads);
        values[from + 8] = tree.majorFaults();
        values[from + 9] = threads.receiving();
        values[from + 10] = threads.queueing();
        values[from + 11] = threads.spinners().count();
    }

    /// See [UnloadedLook].
    void beginUnloaded() {
        tree.scan(rootPids.get());
        threads.spinners().begin(tree.members());
    }

    /// Threads that used a CPU since [#beginUnloaded] will not count as busy.
    void endUnloaded() {
        threads.spinners().end(tree.members());
    }

    private void scan() {
        tree.scan(rootPids.get());
        if (tree.isCrowd()) {
            tree.read();
        }
        descriptors.scan(tree.members());
    }

    private double sum(ToDoubleFunction<ProcessStat> figure) {
        double sum = 0;
        for (ProcessStat member : tree.members()) {
            sum += member.dead() ? 0 : figure.applyAsDouble(member);
        }
        return sum;
    }

    @Override
    public void close() {
        tree.close();
    }
}

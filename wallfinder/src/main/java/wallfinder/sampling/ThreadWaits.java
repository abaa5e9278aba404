package wallfinder.sampling;

import java.io.File;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.WaitFigure;
import wallfinder.sampling.IdlePlaces.Worker;

/// What the threads of a service wait for. Threads that wait for work count nowhere; a look without
/// load learns their places. Without such a look no futex counts.
///
/// To look at a thread takes 5 to 20 us. So a sample takes a few threads at random, which stand for
/// the others of their sort: those that ran lately, and those that did not. A thread that did not,
/// and waits for work, is left out until the next scan. So are a JVM's compilers and collectors. Of
/// a Go program only page faults count: its threads run the goroutines in turns, and what else a
/// thread waits for says nothing about one of them.
final class ThreadWaits implements AutoCloseable {
    private static final int LIVELY_MAX = 16;
    private static final int QUIET_MAX = 8;

    /// A short measurement has few samples, so each of them looks at more threads at first: this
    /// many in all, at 5 to 20 us each.
    private static final int MORE_LOOKS = 4_000;

    private static final int LIVELY_AT_FIRST_MAX = 64;

    /// To open a file takes four times as long as to read one that is open. So between two scans,
    /// the samples take the lively threads from a panel of this many, drawn at random, whose files
    /// stay open.
    private static final int PANEL_MAX = 64;

    private static final Pattern NUMBERS = Pattern.compile("\\d+");

    private final KernelText text = new KernelText();
    private final SplittableRandom random = new SplittableRandom(1);
    private final Set<Integer> jvms = new HashSet<>();
    private final IdlePlaces idle = new IdlePlaces(jvms::contains);
    private final Map<Integer, @Nullable Worker> workers = new HashMap<>();
    private final Map<Integer, Boolean> goPrograms = new HashMap<>();
    private final Map<Futex, Integer> waiters = new HashMap<>();
    private final List<Asleep> asleep = new ArrayList<>();
    private final Map<WaitFigure, Double> counts = new EnumMap<>(WaitFigure.class);
    private final Map<Worker, SampledFile> files = new HashMap<>();
    private List<Worker> lively = List.of();
    private List<Worker> panel = List.of();
    private List<Worker> quiet = List.of();
    private double quietWeight;
    private int moreLooks = MORE_LOOKS;
    private boolean any;
    private boolean mostlyGo;
    private boolean readable;

    private record Futex(int pid, long address) {}

    /// @param weight how many threads it stands for
    private record Asleep(Worker worker, ThreadPlace place, WaitingCall call, double weight) {
        Futex futex() {
            return new Futex(worker.pid(), place.argument());
        }
    }

    /// Finds the threads there are now.
    ///
    /// @param ran whether the thread with this number ran lately
    void scan(List<ProcessStat> processes, IntPredicate ran) {
        List<Worker> found = found(processes);
        lively = found.stream().filter(worker -> ran.test(worker.tid())).toList();
        panel = some(lively, PANEL_MAX, random);
        List<Worker> others = found.stream().filter(worker -> !ran.test(worker.tid())).toList();
        List<Worker> some = some(others, QUIET_MAX, random);
        keepOpen(panel, some);
        quiet = some.stream().filter(this::mayHaveWork).toList();
        quietWeight = weight(others, some);
        any = !found.isEmpty();
        mostlyGo = isMostlyGo(processes);
        idle.forgetStacks();
    }

    /// Whether Go programs did most of the work. A program in Go may have a helper in another
    /// language, and the reverse.
    private boolean isMostlyGo(List<ProcessStat> processes) {
        double go = 0;
        double others = 0;
        boolean any = false;
        for (ProcessStat process : processes) {
            boolean is = isGo(process.pid());
            any |= is;
            go += is ? process.cpuSeconds() : 0;
            others += is ? 0 : process.cpuSeconds();
        }
        return any && go >= others;
    }

    private boolean mayHaveWork(Worker worker) {
        ThreadPlace place = place(worker);
        return place != null
                && place.call() != null
                && !(idle.has(worker, place) && idle.hasFutex(place.argument()));
    }

    /// All of them, or that many at random.
    static <T> List<T> some(List<T> all, int most, SplittableRandom random) {
        return all.size() <= most
                ? all
                : random.ints(0, all.size()).distinct().limit(most).mapToObj(all::get).toList();
    }

    private void keepOpen(List<Worker> lively, List<Worker> quiet) {
        Set<Worker> kept = new HashSet<>(lively);
        kept.addAll(quiet);
        closeOthers(kept);
        kept.forEach(worker -> files.computeIfAbsent(worker, ThreadWaits::open));
    }

    private void closeOthers(Set<Worker> kept) {
        files.entrySet()
                .removeIf(file -> {
                    boolean other = !kept.contains(file.getKey());
                    if (other) {
                        file.getValue().close();
                    }
                    return other;
                });
    }

    private List<Worker> found(List<ProcessStat> processes) {
        List<Worker> found = new ArrayList<>();
        List<Integer> tids = new ArrayList<>();
        for (ProcessStat process : processes) {
            int pid = process.pid();
            goPrograms.computeIfAbsent(pid, GoProgram::is);
            for (String name : ProcessTree.names(new File("/proc/" + pid + "/task"))) {
                int tid = ProcessTree.number(name);
                tids.add(tid);
                Worker worker = workers.computeIfAbsent(tid, t -> worker(pid, t));
                if (worker != null && found.size() < ThreadScan.THREADS_MAX) {
                    found.add(worker);
                }
            }
        }
        workers.keySet().retainAll(new HashSet<>(tids));
        return found;
    }

    /// Returns null for a thread that works for the JVM.
    private @Nullable Worker worker(int pid, int tid) {
        String name = ThreadScan.name(text, "/proc/" + pid + "/task/" + tid);
        if (JvmThreads.jobOf(name) != null) {
            jvms.add(pid);
            return null;
        }
        return new Worker(pid, NUMBERS.matcher(name).replaceAll("#"), tid);
    }

    /// The first look without load.
    void beginUnloaded(List<ProcessStat> processes) {
        idle.begin(found(processes));
    }

    /// The second look.
    void endUnloaded(List<ProcessStat> processes) {
        idle.end(found(processes));
    }

    /// Looks at some threads.
    void sample() {
        asleep.clear();
        int most = Math.clamp(moreLooks, LIVELY_MAX, LIVELY_AT_FIRST_MAX);
        List<Worker> some = some(most > LIVELY_MAX ? lively : panel, most, random);
        moreLooks -= Math.max(0, some.size() - LIVELY_MAX);
        look(some, weight(lively, some));
        look(quiet, quietWeight);
        waiters.clear();
        for (Asleep thread : asleep) {
            if (thread.call == WaitingCall.FUTEX && !isGo(thread.worker.pid())) {
                waiters.merge(thread.futex(), 1, Integer::sum);
            }
        }
        counts.clear();
        Map<Futex, Double> locked = new HashMap<>();
        for (Asleep thread : asleep) {
            WaitFigure wait = waitOf(thread);
            if (wait != null) {
                counts.merge(wait, thread.weight, Double::sum);
            }
            if (wait == WaitFigure.LOCK) {
                double there = locked.merge(thread.futex(), thread.weight, Double::sum);
                counts.merge(WaitFigure.SAME_FUTEX, there, Math::max);
            }
        }
    }

    private static double weight(List<Worker> all, List<Worker> some) {
        return some.isEmpty() ? 0 : (double) all.size() / some.size();
    }

    private void look(List<Worker> some, double weight) {
        for (Worker worker : some) {
            ThreadPlace place = place(worker);
            WaitingCall call = place == null ? null : place.call();
            if (place != null && call != null) {
                asleep.add(new Asleep(worker, place, call, weight));
            }
        }
    }

    private @Nullable ThreadPlace place(Worker worker) {
        SampledFile file = files.get(worker);
        KernelText read = file == null ? text : file.text();
        boolean loaded =
                file == null
                        ? text.loadOnce(ThreadPlace.file(worker.pid(), worker.tid()))
                        : file.read();
        if (!loaded || read.atEnd()) {
            return null; // the thread has ended, or this user may not read it
        }
        readable = true;
        return ThreadPlace.of(read);
    }

    private static SampledFile open(Worker worker) {
        return new SampledFile(ThreadPlace.file(worker.pid(), worker.tid()));
    }

    /// How many threads waited so at the last look; `NaN` if there are no threads, if this user may
    /// read none of them, or if most of the work is that of Go programs.
    double count(WaitFigure figure) {
        boolean known = any && (figure == WaitFigure.PAGE || !mostlyGo);
        return known && readable ? counts.getOrDefault(figure, 0.0) : Double.NaN;
    }

    @Override
    public void close() {
        closeOthers(Set.of());
    }

    private boolean isGo(int pid) {
        return goPrograms.getOrDefault(pid, false);
    }

    private @Nullable WaitFigure waitOf(Asleep thread) {
        if (thread.call == WaitingCall.FAULT) {
            return WaitFigure.PAGE;
        }
        return isGo(thread.worker.pid()) ? null : inCall(thread);
    }

    private @Nullable WaitFigure inCall(Asleep thread) {
        ThreadPlace place = thread.place;
        return switch (thread.call) {
            case FUTEX -> futex(thread);
            case PAUSE -> pause(thread);
            case SELECT -> place.argument() == 0 ? pause(thread) : null;
            case FILE_LOCK -> WaitFigure.LOCK;
            case FLUSH -> WaitFigure.DISK;
            case FAULT -> WaitFigure.PAGE;
            case SEND -> WaitFigure.TRANSMIT;
            case SENDFILE -> waitsForDisk(thread.worker) ? WaitFigure.DISK : WaitFigure.TRANSMIT;
            case READ -> reads(place.target(thread.worker.pid()));
            case WRITE -> writes(place.target(thread.worker.pid()));
        };
    }

    private @Nullable WaitFigure pause(Asleep thread) {
        return idle.has(thread.worker, thread.place) ? null : WaitFigure.SLEEP;
    }

    private @Nullable WaitFigure futex(Asleep thread) {
        if (isShared(thread)) {
            return WaitFigure.LOCK;
        }
        if (idle.has(thread.worker, thread.place)) {
            return null;
        }
        return thread.place.how().timed() ? WaitFigure.SLEEP : WaitFigure.LOCK;
    }

    /// Whether several threads wait at one futex, but not for work. That is a lock, even if the
    /// stack is no deeper than without work, as in Python, whose functions need no stack of C.
    private boolean isShared(Asleep thread) {
        return waiters.getOrDefault(thread.futex(), 0) > 1
                && idle.knows(thread.worker)
                && !idle.hasFutex(thread.place.argument());
    }

    /// Whether a thread sleeps uninterruptibly (state D), as for a disk. For room in a socket it
    /// does not.
    private boolean waitsForDisk(Worker worker) {
        if (!text.loadOnce("/proc/" + worker.pid() + "/task/" + worker.tid() + "/stat")) {
            return false;
        }
        text.skipPastLast(')'); // the name may contain blanks and brackets
        return text.word().equals("D");
    }

    private static @Nullable WaitFigure reads(String target) {
        return target.startsWith("/") && !isTerminal(target) ? WaitFigure.DISK : null;
    }

    private static WaitFigure writes(String target) {
        if (target.startsWith("socket:")) {
            return WaitFigure.TRANSMIT;
        }
        return target.startsWith("pipe:") || isTerminal(target)
                ? WaitFigure.OUTPUT
                : WaitFigure.DISK;
    }

    private static boolean isTerminal(String target) {
        return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
    }
}

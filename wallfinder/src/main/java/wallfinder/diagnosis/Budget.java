package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.DependencyFigure;
import wallfinder.observation.End;
import wallfinder.observation.Figure;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.SandboxFacts.ServiceFacts;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;
import wallfinder.observation.Unloaded;
import wallfinder.observation.WaitFigure;

/// Where the time of an answer goes, by Little's law: the mean number of threads, connections or
/// requests in a state, divided by the rate of answers, is the time that one answer spends in that
/// state.
///
/// @param alone of an answer without load, or null if the service was not seen without load
/// @param loaded of an answer under the load that was measured
public record Budget(@Nullable Parts alone, Parts loaded) {
    /// What an answer spends its time on, in the order in which it is printed.
    public enum Part {
        /// The connection waits in the accept queue.
        ACCEPT("accept"),
        /// The request lies in its socket, and nobody has read it.
        UNREAD("unread"),
        /// Threads of the service run on a CPU.
        RUN("run"),
        /// Threads are ready to run and have no CPU.
        RUNNABLE("runnable"),
        /// Threads wait for other threads.
        LOCK("lock"),
        /// Threads wait for a file, or for a page of their memory.
        DISK("disk"),
        /// Threads wait for the reader of a pipe or terminal.
        OUTPUT("output"),
        /// A request to another service is under way.
        DEPENDENCY("dependency"),
        /// Threads wait for room in the send buffer of a socket, or Nagle's algorithm holds back
        /// the last bytes.
        TRANSMIT("transmit"),
        /// Threads wait for a time to pass.
        SLEEP("sleep"),
        /// Threads wait because a collector has stopped their JVM.
        GC("gc"),
        /// What is left of the response time that the client measured. It is negative if the other
        /// parts together are longer than the response.
        UNEXPLAINED("unexplained");

        private final String word;

        Part(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }

        /// What an answer does in this time, such as `waits for a file`.
        String does(@Nullable String destination) {
            return switch (this) {
                case ACCEPT -> "waits to be accepted";
                case UNREAD -> "waits to be read from its socket";
                case RUN -> "runs";
                case RUNNABLE -> "waits for a CPU";
                case LOCK -> "waits for another thread";
                case DISK -> "waits for a file or a page";
                case OUTPUT -> "waits for the reader of a pipe";
                case DEPENDENCY -> "waits for " + destination;
                case TRANSMIT -> "waits to be sent";
                case SLEEP -> "sleeps for a set time";
                case GC -> "waits for the garbage collector";
                case UNEXPLAINED -> "unexplained";
            };
        }
    }

    /// The mean number of connections, threads or requests in one part, whatever the answers.
    ///
    /// @param destination of a dependency, its address
    public record Busy(Part part, @Nullable String destination, double mean) {
        /// What they do, such as `waits for a file`.
        public String does() {
            return part.does(destination);
        }
    }

    /// @param destination of a dependency, its address
    public record Share(Part part, @Nullable String destination, double micros) {
        /// As in run.json, such as `dependency:10.0.0.7:5432`.
        public String key() {
            return destination == null ? part.word : part.word + ":" + destination;
        }

        /// What an answer does in this time, such as `waits for a file`.
        public String does() {
            return part.does(destination);
        }
    }

    /// The response time of one answer and its parts, which add up to it. A part that could not be
    /// read is missing.
    public record Parts(double responseMicros, List<Share> shares) {
        /// How much of the response time is explained, from 0 to 1.
        public double explainedShare() {
            return Math.max(0, 1 - Math.abs(shares.getLast().micros()) / responseMicros);
        }

        boolean has(Part part) {
            return shares.stream().anyMatch(share -> share.part() == part);
        }

        /// The time that a part takes, 0 if these parts do not have it.
        public double micros(String key) {
            return shares.stream()
                    .filter(share -> share.key().equals(key))
                    .mapToDouble(Share::micros)
                    .sum();
        }
    }

    /// What an answer does in a part of a stored budget; the key itself if this version does not
    /// know it.
    ///
    /// @param key as in run.json, such as `dependency:10.0.0.7:5432`
    public static String does(String key) {
        int colon = key.indexOf(':');
        String word = colon < 0 ? key : key.substring(0, colon);
        String destination = colon < 0 ? null : key.substring(colon + 1);
        return Arrays.stream(Part.values())
                .filter(part -> part.word().equals(word))
                .map(part -> part.does(destination))
                .findFirst()
                .orElse(key);
    }

    private static final double MICROS_PER_SECOND = 1e6;

    /// The beginning of an address that is the name of a unix socket.
    static final String UNIX = "unix:";

    /// The mean response time of a mix may differ by so much from that of equally many requests of
    /// each kind.
    private static final double MIX_TOLERANCE = 0.2;

    /// The first and the last instant do not count.
    private static final int INSTANTS_MIN = 3;

    /// A destination on which answers spend less is none of their dependencies.
    private static final double DEPENDENCY_SHARE_MIN = 0.01;

    /// A destination with fewer requests under way is not shown without a load of ours.
    private static final double DEPENDENCY_BUSY_MIN = 0.01;

    /// Nobody knows where the threads sleep without work unless they were seen without load.
    private static final Set<Part> NEEDS_UNLOADED = Set.of(Part.LOCK, Part.SLEEP, Part.GC);

    /// @return empty if there were no answers, or if the service could not be seen
    public static Optional<Budget> of(Observation observation) {
        Timeline timeline = observation.timeline();
        if (!observation.facts().serverWatched()
                || !(observation.load() instanceof LoadOutcome.Requests load)
                || load.responseNanos().getTotalCount() == 0
                || timeline.nanos().length < INSTANTS_MIN) {
            return Optional.empty();
        }
        Account account = new Account(timeline, load.answered());
        double responseMicros = AnswerTime.micros(load, account.answersPerSecond);
        Dependencies asked =
                account.dependencies(
                        DEPENDENCY_SHARE_MIN * account.inAnswers(responseMicros),
                        observation.facts().services());
        return Optional.of(
                new Budget(alone(observation, load, asked), account.parts(responseMicros, asked)));
    }

    /// Where the threads, connections and requests of a service are under a load whose answers were
    /// not seen. Leaves out what only a look without load shows.
    public static List<Busy> busy(Observation observation) {
        Timeline timeline = observation.timeline();
        if (!observation.facts().serverWatched() || timeline.nanos().length < INSTANTS_MIN) {
            return List.of();
        }
        Account account = new Account(timeline, 0);
        account.asked = account.dependencies(DEPENDENCY_BUSY_MIN, observation.facts().services());
        EnumMap<Part, Double> means = account.means();
        means.keySet().removeAll(NEEDS_UNLOADED);
        return account.each(means);
    }

    private static @Nullable Parts alone(
            Observation observation, LoadOutcome.Requests load, Dependencies asked) {
        Unloaded unloaded = observation.unloaded();
        if (unloaded == null
                || unloaded.answers() == 0
                || unloaded.timeline().nanos().length < INSTANTS_MIN
                || load.unloadedNanos().getTotalCount() == 0
                || isOtherMix(load)) {
            return null;
        }
        return new Account(unloaded.timeline(), unloaded.answers())
                .parts(load.unloadedNanos().getMean() / 1e3, asked);
    }

    /// Whether the requests of a mix were so different that their answers alone say little about
    /// the load: alone all were sent equally often.
    private static boolean isOtherMix(LoadOutcome.Requests load) {
        double equal =
                load.targets().stream()
                        .filter(target -> target.unloadedNanos().getTotalCount() > 0)
                        .mapToDouble(target -> target.unloadedNanos().getMean())
                        .average()
                        .orElse(Double.NaN);
        double weighted = load.unloadedNanos().getMean();
        return Math.abs(equal - weighted) > MIX_TOLERANCE * weighted;
    }

    /// The services that the answers wait for.
    ///
    /// @param addresses their addresses
    /// @param behind the names and ports of those that run beside the service: what happens there
    ///   counts as a wait for them, and nowhere else
    private record Dependencies(Set<String> addresses, Set<String> behind) {}

    /// The mean numbers of threads, connections and requests in one timeline.
    private static final class Account {
        private final Timeline timeline;
        private final double answersPerSecond;
        private final double seconds;
        private Dependencies asked = new Dependencies(Set.of(), Set.of());

        /// @param answers if the timeline does not count them
        Account(Timeline timeline, long answers) {
            this.timeline = timeline;
            long[] nanos = timeline.nanos();
            seconds = (nanos[nanos.length - 1] - nanos[0]) / 1e9;
            long sampled = EvidenceFigures.sampled(LoadFigure.REQUESTS, answers, timeline);
            answersPerSecond = (sampled > 0 ? sampled : answers) / seconds;
        }

        /// Leaves out destinations that hardly matter: a probe of the service's own health goes to
        /// the service itself.
        ///
        /// @param busyMin the smallest mean number of requests under way that matters
        Dependencies dependencies(double busyMin, List<ServiceFacts> services) {
            Set<String> addresses =
                    timeline.all(DependencyFigure.BUSY, End.SERVER)
                            .filter(busy -> mean(busy) >= busyMin)
                            .map(Series::subject)
                            .collect(Collectors.toSet());
            Set<String> behind = new HashSet<>();
            // A service may listen on the same port as one that it asks on another host.
            List<ServiceFacts> several = services.size() > 1 ? services : List.of();
            for (ServiceFacts service : several) {
                if (addresses.stream().anyMatch(address -> listens(service, address))) {
                    behind.add(service.name());
                    service.listens().forEach(port -> behind.add(Integer.toString(port)));
                }
            }
            return new Dependencies(addresses, behind);
        }

        private static boolean listens(ServiceFacts service, String address) {
            if (address.startsWith(UNIX)) {
                return service.unixSockets().contains(address.substring(UNIX.length()));
            }
            String port = address.substring(address.lastIndexOf(':') + 1);
            return service.listens().contains(Integer.valueOf(port));
        }

        Parts parts(double responseMicros, Dependencies known) {
            asked = known;
            EnumMap<Part, Double> busy = means();
            double all = inAnswers(responseMicros);
            giveWay(busy, Part.LOCK, Part.DEPENDENCY, all);
            giveWay(busy, Part.UNREAD, Part.RUNNABLE, all);
            busy.put(Part.UNEXPLAINED, all - total(busy));
            return new Parts(responseMicros, shares(busy));
        }

        /// The mean number of answers under way.
        double inAnswers(double responseMicros) {
            return responseMicros / MICROS_PER_SECOND * answersPerSecond;
        }

        EnumMap<Part, Double> means() {
            EnumMap<Part, Double> busy = new EnumMap<>(Part.class);
            double stopped = sum(WaitFigure.LOCK, this::stopped);
            busy.put(Part.ACCEPT, sum(ListenFigure.QUEUE, this::queued));
            busy.put(Part.UNREAD, sum(ListenFigure.UNREAD, this::acceptedAndUnread));
            busy.put(Part.RUN, sum(ProcessFigure.CPU, this::running));
            busy.put(Part.RUNNABLE, sum(ProcessFigure.WAITING, this::runnable));
            busy.put(Part.LOCK, sum(WaitFigure.LOCK, Budget::mean) - stopped);
            busy.put(Part.DISK, disk());
            busy.put(Part.OUTPUT, sum(WaitFigure.OUTPUT, Budget::mean));
            busy.put(Part.DEPENDENCY, dependencies().mapToDouble(Budget::mean).sum());
            busy.put(Part.TRANSMIT, transmit());
            busy.put(Part.SLEEP, sum(WaitFigure.SLEEP, Budget::mean));
            busy.put(Part.GC, stopped);
            busy.values().removeIf(mean -> mean.isNaN());
            return busy;
        }

        /// A thread waits for room behind many bytes, and Nagle's algorithm holds back few.
        private double transmit() {
            double heldBack = zeroIfNaN(sum(ListenFigure.HELD_BACK, Budget::mean));
            double threads = sum(WaitFigure.TRANSMIT, Budget::mean);
            return heldBack > 0 ? heldBack + zeroIfNaN(threads) : threads;
        }

        private double disk() {
            double pages = zeroIfNaN(sum(WaitFigure.PAGE, Budget::mean));
            double files = sum(WaitFigure.DISK, Budget::mean);
            return pages > 0 ? pages + zeroIfNaN(files) : files;
        }

        private Stream<Series> dependencies() {
            return timeline.all(DependencyFigure.BUSY, End.SERVER)
                    .filter(busy -> asked.addresses().contains(busy.subject()));
        }

        private List<Share> shares(EnumMap<Part, Double> means) {
            return each(means).stream()
                    .map(busy -> new Share(busy.part(), busy.destination(), micros(busy.mean())))
                    .toList();
        }

        List<Busy> each(EnumMap<Part, Double> means) {
            List<Busy> all = new ArrayList<>();
            means.forEach((part, mean) -> {
                if (part == Part.DEPENDENCY) {
                    dependencies()
                            .map(series -> new Busy(part, series.subject(), mean(series)))
                            .forEach(all::add);
                } else {
                    all.add(new Busy(part, null, mean));
                }
            });
            return List.copyOf(all);
        }

        private double micros(double busy) {
            return busy / answersPerSecond * MICROS_PER_SECOND;
        }

        private static double total(EnumMap<Part, Double> busy) {
            return busy.values().stream().mapToDouble(Double::doubleValue).sum();
        }

        /// Two parts may count the same time: a thread waits in a futex for what another thread
        /// reads from a dependency; a request is unread because the thread that would read it waits
        /// for a CPU. This shows if the parts together are longer than the response. Such time
        /// belongs to its cause.
        private static void giveWay(
                EnumMap<Part, Double> busy, Part effect, Part cause, double all) {
            double most = Math.min(busy.getOrDefault(effect, 0.0), busy.getOrDefault(cause, 0.0));
            double both = Math.clamp(total(busy) - all, 0, Math.max(0, most));
            busy.computeIfPresent(effect, (_, mean) -> mean - both);
        }

        /// Of the series that were read; `NaN` if none was, as if this user may not look.
        private double sum(Figure figure, ToDoubleFunction<Series> busy) {
            double[] read =
                    timeline.all(figure, End.SERVER)
                            .filter(series -> !asked.behind().contains(series.subject()))
                            .mapToDouble(busy)
                            .filter(mean -> !Double.isNaN(mean))
                            .toArray();
            return read.length == 0 ? Double.NaN : DoubleStream.of(read).sum();
        }

        /// In the queues of all sockets of a port; an older observation has only the fullest one.
        private double queued(Series fullest) {
            return timeline.beside(fullest, ListenFigure.QUEUED)
                    .map(Budget::mean)
                    .orElseGet(() -> mean(fullest));
        }

        /// A connection in the accept queue may have sent its request, too.
        private double acceptedAndUnread(Series unread) {
            double queued =
                    zeroIfNaN(
                            timeline.beside(unread, ListenFigure.QUEUE)
                                    .map(this::queued)
                                    .orElse(0.0));
            return Math.max(0, mean(unread) - queued);
        }

        /// A JVM's compilers and collectors work beside the answers.
        private double running(Series cpu) {
            return Math.max(
                    0,
                    perSecond(cpu)
                            - beside(cpu, JvmFigure.COLLECTOR_CPU)
                            - beside(cpu, JvmFigure.COMPILER_CPU));
        }

        private double runnable(Series waiting) {
            return Math.max(0, perSecond(waiting) - beside(waiting, JvmFigure.OWN_WAITING));
        }

        /// While a collector has stopped a JVM, the threads that would run or wait for a lock all
        /// wait in a futex. If pauses are not counted, the CPU time of a thread that works only in
        /// pauses is a lower bound.
        private double stopped(Series lock) {
            double paused =
                    Math.max(
                            beside(lock, JvmFigure.PAUSE_SECONDS),
                            beside(lock, JvmFigure.STOPPING_CPU));
            double share = Math.min(1, paused);
            double ready =
                    zeroIfNaN(
                                    timeline.beside(lock, ProcessFigure.CPU)
                                            .map(this::running)
                                            .orElse(0.0))
                            + zeroIfNaN(
                                    timeline.beside(lock, ProcessFigure.WAITING)
                                            .map(this::runnable)
                                            .orElse(0.0));
            double waiting = mean(lock);
            double readyStopped = share < 1 ? ready * share / (1 - share) : waiting;
            double locked = Math.max(0, waiting - readyStopped);
            return Math.min(waiting, readyStopped + share * locked);
        }

        private double beside(Series one, Figure figure) {
            return zeroIfNaN(timeline.beside(one, figure).map(this::perSecond).orElse(0.0));
        }

        private static double zeroIfNaN(double value) {
            return Double.isNaN(value) ? 0 : value;
        }

        private double perSecond(Series series) {
            return series.growth() / seconds;
        }
    }

    /// Of the readings during the load, `NaN` if there are none.
    static double mean(Series series) {
        return readings(series).average().orElse(Double.NaN);
    }

    /// The first instant may be before the first request, the last one after the last answer.
    static DoubleStream readings(Series series) {
        return Arrays.stream(series.values(), 1, series.values().length - 1)
                .filter(value -> !Double.isNaN(value));
    }
}

package wallfinder.sampling;

import java.util.List;
import java.util.function.ToDoubleFunction;
import wallfinder.observation.JvmFigure;

/// A figure of a service's JVMs.
///
/// @param value the figure of one JVM; `NaN` if it is not known
record JvmColumn(
        JvmFigure figure, String source, Several several, ToDoubleFunction<JvmFigures> value) {
    /// What the figure of a service with several JVMs is.
    enum Several {
        SUM,

        /// That of the JVM in which it grew most. The other JVMs answer while one is stopped.
        MOST,

        /// That of the JVM whose collectors used most CPU time.
        LEVEL,
        LARGEST
    }

    private static final String THREAD_TIMES = "/proc/PID/task/TID/schedstat";
    private static final String PERF_DATA = "/tmp/hsperfdata_USER/PID";
    private static final String PAUSES = PERF_DATA + "; for Shenandoah its log (jcmd PID VM.log)";
    private static final String LOG = "log of ZGC, by attach (jcmd PID VM.log)";
    private static final String ATTACH = "thread dump by attach (jstack PID)";

    static final JvmColumn COLLECTOR_CPU =
            sum(JvmFigure.COLLECTOR_CPU, jvm -> jvm.threads().collectorSeconds());

    /// In the order of the counters.
    static final List<JvmColumn> ALL =
            List.of(
                    COLLECTOR_CPU,
                    new JvmColumn(
                            JvmFigure.STOPPING_CPU,
                            THREAD_TIMES,
                            Several.MOST,
                            jvm -> jvm.threads().stoppingSeconds()),
                    sum(JvmFigure.COMPILER_CPU, jvm -> jvm.threads().compilerSeconds()),
                    sum(JvmFigure.OWN_WAITING, jvm -> jvm.threads().waitingSeconds()),
                    pause(JvmFigure.PAUSE_SECONDS, JvmFigures::pauseSeconds),
                    pause(JvmFigure.PAUSES, JvmFigures::pauses),
                    pause(JvmFigure.FULL_PAUSE_SECONDS, JvmFigures::fullPauseSeconds),
                    pause(JvmFigure.FULL_COLLECTIONS, JvmFigures::fullCollections),
                    stall(JvmFigure.ALLOCATION_STALLS, CollectorLog.Stalls::count),
                    stall(JvmFigure.STALLED_THREAD_SECONDS, CollectorLog.Stalls::threadSeconds),
                    stall(JvmFigure.STALLED_SECONDS, CollectorLog.Stalls::seconds),
                    carriers(JvmFigure.CARRIER_LOOKS, jvm -> jvm.carriers().looks()),
                    carriers(JvmFigure.CARRIERS, jvm -> jvm.carriers().carriers()),
                    carriers(JvmFigure.CARRIERS_HELD, jvm -> jvm.carriers().held()),
                    level(JvmFigure.LONGEST_PAUSE, PAUSES, JvmFigures::longestPauseSeconds),
                    level(JvmFigure.HEAP_MAX, PERF_DATA, JvmFigures::heapMaxBytes),
                    level(JvmFigure.HEAP_USED, PERF_DATA, JvmFigures::heapUsedBytes),
                    level(JvmFigure.HEAP_COMMITTED, PERF_DATA, JvmFigures::heapCommittedBytes),
                    level(JvmFigure.OLD_MAX, PERF_DATA, JvmFigures::oldMaxBytes),
                    level(JvmFigure.OLD_USED, PERF_DATA, JvmFigures::oldUsedBytes),
                    level(JvmFigure.REQUESTED, PERF_DATA, JvmFigures::requested),
                    new JvmColumn(
                            JvmFigure.VIRTUAL_THREADS,
                            "/proc/PID/task/TID/comm",
                            Several.LARGEST,
                            jvm -> jvm.threads().hasVirtualThreads() ? 1 : 0),
                    level(
                            JvmFigure.LONGEST_STALL,
                            LOG,
                            jvm -> jvm.stalled(CollectorLog.Stalls::longestSeconds)));

    private static JvmColumn sum(JvmFigure figure, ToDoubleFunction<JvmFigures> value) {
        return new JvmColumn(figure, THREAD_TIMES, Several.SUM, value);
    }

    private static JvmColumn pause(JvmFigure figure, ToDoubleFunction<JvmFigures> value) {
        return new JvmColumn(figure, PAUSES, Several.MOST, value);
    }

    private static JvmColumn stall(JvmFigure figure, ToDoubleFunction<CollectorLog.Stalls> value) {
        return new JvmColumn(figure, LOG, Several.MOST, jvm -> jvm.stalled(value));
    }

    private static JvmColumn carriers(JvmFigure figure, ToDoubleFunction<JvmFigures> value) {
        return new JvmColumn(figure, ATTACH, Several.SUM, value);
    }

    private static JvmColumn level(
            JvmFigure figure, String source, ToDoubleFunction<JvmFigures> value) {
        return new JvmColumn(figure, source, Several.LEVEL, value);
    }
}

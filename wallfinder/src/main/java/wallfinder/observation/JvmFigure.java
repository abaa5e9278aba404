package wallfinder.observation;

import static wallfinder.observation.Form.level;
import static wallfinder.observation.Form.total;
import static wallfinder.observation.Unit.BYTES;
import static wallfinder.observation.Unit.COUNT;
import static wallfinder.observation.Unit.SECONDS;

/// The JVMs of a service. Where it has several, `STOPPING_CPU`, the pauses and the full collections
/// are those of one of them, counted from the first look at it.
public enum JvmFigure implements Figure {
    /// CPU time of the threads that collect garbage.
    COLLECTOR_CPU(total("jvm[].collectorCpu", SECONDS)),

    /// CPU time of the busiest thread among those that work only while the world is stopped.
    STOPPING_CPU(total("jvm[].stoppingCpu", SECONDS)),
    COMPILER_CPU(total("jvm[].compilerCpu", SECONDS)),
    PAUSE_SECONDS(total("jvm[].pauseSeconds", SECONDS)),
    PAUSES(total("jvm[].pauses", COUNT)),
    FULL_PAUSE_SECONDS(total("jvm[].fullPauseSeconds", SECONDS)),
    FULL_COLLECTIONS(total("jvm[].fullCollections", COUNT)),

    /// How often the sampler looked at the carriers of virtual threads, how many carriers it saw,
    /// and how many of them were held.
    CARRIER_LOOKS(total("jvm[].carrierLooks", COUNT)),
    CARRIERS(total("jvm[].carriers", COUNT)),
    CARRIERS_HELD(total("jvm[].carriersHeld", COUNT)),

    /// The longest that was seen so far.
    LONGEST_PAUSE(level("jvm[].longestPause", SECONDS)),

    /// What the heap may grow to.
    HEAP_MAX(level("jvm[].heapMax", BYTES)),

    /// What the heap held after a collection.
    HEAP_USED(level("jvm[].heapUsed", BYTES)),

    /// How large the heap is.
    HEAP_COMMITTED(level("jvm[].heapCommitted", BYTES)),

    /// 1 if there are any.
    VIRTUAL_THREADS(level("jvm[].virtualThreads", COUNT));

    private final Form form;

    JvmFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }
}

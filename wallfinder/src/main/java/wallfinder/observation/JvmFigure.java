package wallfinder.observation;

/// The JVMs of a service. If it has several, `STOPPING_CPU`, the pauses, the full collections and
/// the stalls are those of one JVM, counted from its first sample.
public enum JvmFigure implements Figure {
    /// CPU time of the threads that collect garbage.
    COLLECTOR_CPU(Form.total("jvm[].collectorCpu", Unit.SECONDS)),

    /// CPU time of the busiest thread that works only while the application is stopped.
    STOPPING_CPU(Form.total("jvm[].stoppingCpu", Unit.SECONDS)),
    COMPILER_CPU(Form.total("jvm[].compilerCpu", Unit.SECONDS)),

    /// The time in which its collectors and compilers were runnable without a CPU.
    OWN_WAITING(Form.total("jvm[].ownWaiting", Unit.SECONDS)),
    PAUSE_SECONDS(Form.total("jvm[].pauseSeconds", Unit.SECONDS)),
    PAUSES(Form.total("jvm[].pauses", Unit.COUNT)),
    FULL_PAUSE_SECONDS(Form.total("jvm[].fullPauseSeconds", Unit.SECONDS)),
    FULL_COLLECTIONS(Form.total("jvm[].fullCollections", Unit.COUNT)),

    /// How often a thread waited for memory while ZGC collected, and the sum of these waits.
    /// Threads wait at the same time, so the sum can exceed the time.
    ALLOCATION_STALLS(Form.total("jvm[].allocationStalls", Unit.COUNT)),
    STALLED_THREAD_SECONDS(Form.total("jvm[].stalledThreadSeconds", Unit.SECONDS)),

    /// The time in which at least one thread waited for memory.
    STALLED_SECONDS(Form.total("jvm[].stalledSeconds", Unit.SECONDS)),

    /// How often the sampler looked at the carriers of virtual threads, how many carriers it saw,
    /// and how many of these were pinned.
    CARRIER_LOOKS(Form.total("jvm[].carrierLooks", Unit.COUNT)),
    CARRIERS(Form.total("jvm[].carriers", Unit.COUNT)),
    CARRIERS_HELD(Form.total("jvm[].carriersHeld", Unit.COUNT)),

    /// How often the sampler looked at the locks, and how many threads waited for the lock with the
    /// most of them, summed over all looks.
    LOCK_LOOKS(Form.total("jvm[].lockLooks", Unit.COUNT)),
    LOCK_WAITERS(Form.total("jvm[].lockWaiters", Unit.COUNT)),

    /// The longest pause so far.
    LONGEST_PAUSE(Form.level("jvm[].longestPause", Unit.SECONDS)),

    /// The longest wait for memory so far.
    LONGEST_STALL(Form.level("jvm[].longestStall", Unit.SECONDS)),

    HEAP_MAX(Form.level("jvm[].heapMax", Unit.BYTES)),

    /// After the last collection.
    HEAP_USED(Form.level("jvm[].heapUsed", Unit.BYTES)),

    HEAP_COMMITTED(Form.level("jvm[].heapCommitted", Unit.BYTES)),

    /// 1 if the JVM has any.
    VIRTUAL_THREADS(Form.level("jvm[].virtualThreads", Unit.COUNT));

    private final Form form;

    JvmFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }
}

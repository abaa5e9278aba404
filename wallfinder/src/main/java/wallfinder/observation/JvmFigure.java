package wallfinder.observation;

/// The JVMs of a service. If it has several, the CPU times and the carriers are sums. Each of the
/// other figures is that of one JVM, but not all are those of the same JVM. So each JVM then has
/// the figures of its collector once more, with the subject [#subject].
public enum JvmFigure implements Figure {
    /// CPU time of the threads that collect garbage.
    COLLECTOR_CPU(Form.total("jvm[].collectorCpu", Unit.SECONDS)),

    /// CPU time of the busiest thread that works only while the application is stopped.
    STOPPING_CPU(Form.total("jvm[].stoppingCpu", Unit.SECONDS)),

    /// CPU time of all threads of one of several JVMs.
    PROCESS_CPU(Form.total("jvm[].processCpu", Unit.SECONDS)),
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

    /// The maximum of the old generation. For G1, it is that of the whole heap.
    OLD_MAX(Form.level("jvm[].oldMax", Unit.BYTES)),

    /// The old generation after the last collection.
    OLD_USED(Form.level("jvm[].oldUsed", Unit.BYTES)),

    /// 1 if something else than an allocation in the heap caused the last collection, such as
    /// `System.gc()` or a class.
    REQUESTED(Form.level("jvm[].requested", Unit.COUNT)),

    /// The process of one of several JVMs.
    PID(Form.level("jvm[].pid", Unit.COUNT)),

    /// 1 if the JVM has any.
    VIRTUAL_THREADS(Form.level("jvm[].virtualThreads", Unit.COUNT));

    /// A service with more JVMs has figures of its own only for the first ones.
    public static final int JVMS_MAX = 8;

    private final Form form;

    JvmFigure(Form form) {
        this.form = form;
    }

    /// The subject of the figures of one of several JVMs.
    ///
    /// @param number from 1 to [#JVMS_MAX], in the order in which the JVMs were found
    public static String subject(String service, int number) {
        return service + "#" + number;
    }

    @Override
    public Form form() {
        return form;
    }
}

package wallfinder.observation;

/// A process with its descendants. The subject is the service, or `load` for a load command.
public enum ProcessFigure implements Figure {
    CPU(Form.total("process[].cpu", Unit.SECONDS)),

    /// The time in which threads were runnable without a CPU.
    WAITING(Form.total("process[].waiting", Unit.SECONDS)),

    /// The CPU time of the thread that has used the most so far, except for spinning threads and a
    /// JVM's compiler and collector threads.
    BUSIEST_THREAD(Form.total("process[].busiestThread", Unit.SECONDS)),

    /// The longest time so far in which one thread ran or was runnable, with the same exceptions.
    BUSIEST_WANTED(Form.total("process[].busiestWanted", Unit.SECONDS)),
    DESCRIPTORS(Form.level("process[].descriptors", Unit.COUNT)),
    DESCRIPTOR_LIMIT(Form.level("process[].descriptorLimit", Unit.COUNT)),
    RSS(Form.level("process[].rss", Unit.BYTES)),
    THREADS(Form.level("process[].threads", Unit.COUNT)),
    MAJOR_FAULTS(Form.total("process[].majorFaults", Unit.COUNT)),

    /// Processes that have ended, as far as somebody looked at them before.
    ENDED(Form.total("process[].ended", Unit.COUNT)),

    /// Threads of the group with the same name that wait for the network.
    RECEIVING(Form.level("process[].receiving", Unit.COUNT)),

    /// Threads of the same group that wait for another thread and ran in the last second or so.
    QUEUEING(Form.level("process[].queueing", Unit.COUNT)),

    /// Threads that have always used a whole CPU, even before the load began.
    SPINNING(Form.level("process[].spinning", Unit.COUNT)),

    /// Processes and threads of the user that runs the service, and how many he may have
    /// (`RLIMIT_NPROC`). `NaN` if the limit does not apply to this user, or if the whole host has
    /// fewer.
    USER_TASKS(Form.level("process[].userTasks", Unit.COUNT)),
    USER_TASK_LIMIT(Form.level("process[].userTaskLimit", Unit.COUNT)),

    /// Memory maps of the process with the most, and how many it may have (`vm.max_map_count`).
    MAPS(Form.level("process[].maps", Unit.COUNT)),
    MAP_LIMIT(Form.level("process[].mapLimit", Unit.COUNT));

    private final Form form;

    ProcessFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }
}

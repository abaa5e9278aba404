package wallfinder.observation;

/// A process with all its descendants, by the name of its service; a load command has the name
/// `load`.
public enum ProcessFigure implements Figure {
    /// CPU time.
    CPU(Form.total("process[].cpu", Unit.SECONDS)),

    /// The time in which threads were ready to run and had no CPU.
    WAITING(Form.total("process[].waiting", Unit.SECONDS)),

    /// The CPU time of the thread that used most so far. Threads with which a JVM compiles or
    /// collects do not count, nor do those that spin.
    BUSIEST_THREAD(Form.total("process[].busiestThread", Unit.SECONDS)),

    /// The time in which one thread ran or was ready to run, of the thread with the longest such
    /// time so far. The same threads do not count.
    BUSIEST_WANTED(Form.total("process[].busiestWanted", Unit.SECONDS)),
    DESCRIPTORS(Form.level("process[].descriptors", Unit.COUNT)),
    DESCRIPTOR_LIMIT(Form.level("process[].descriptorLimit", Unit.COUNT)),
    RSS(Form.level("process[].rss", Unit.BYTES)),
    THREADS(Form.level("process[].threads", Unit.COUNT)),
    MAJOR_FAULTS(Form.total("process[].majorFaults", Unit.COUNT)),

    /// Of its threads with the same name, those that wait for the network.
    RECEIVING(Form.level("process[].receiving", Unit.COUNT)),

    /// Of the same threads, those that wait for another thread and ran within the last second or
    /// so.
    QUEUEING(Form.level("process[].queueing", Unit.COUNT)),

    /// Threads that used a CPU before the load began, as they always did.
    SPINNING(Form.level("process[].spinning", Unit.COUNT));

    private final Form form;

    ProcessFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }
}

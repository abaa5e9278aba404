package wallfinder.observation;

import static wallfinder.observation.Form.level;
import static wallfinder.observation.Form.total;
import static wallfinder.observation.Unit.BYTES;
import static wallfinder.observation.Unit.COUNT;
import static wallfinder.observation.Unit.SECONDS;

/// A process with all its descendants, by the name of its service; a load command has the name
/// `load`.
public enum ProcessFigure implements Figure {
    /// CPU time.
    CPU(total("process[].cpu", SECONDS)),

    /// The time in which threads were ready to run and had no CPU.
    WAITING(total("process[].waiting", SECONDS)),

    /// The CPU time of the thread that used most so far. Threads with which a JVM compiles or
    /// collects do not count, nor do those that spin.
    BUSIEST_THREAD(total("process[].busiestThread", SECONDS)),

    /// The time in which one thread ran or was ready to run, of the thread with the longest such
    /// time so far. The same threads do not count.
    BUSIEST_WANTED(total("process[].busiestWanted", SECONDS)),
    DESCRIPTORS(level("process[].descriptors", COUNT)),
    DESCRIPTOR_LIMIT(level("process[].descriptorLimit", COUNT)),
    RSS(level("process[].rss", BYTES)),
    THREADS(level("process[].threads", COUNT)),
    MAJOR_FAULTS(total("process[].majorFaults", COUNT)),

    /// Of its threads with the same name, those that wait for the network.
    RECEIVING(level("process[].receiving", COUNT)),

    /// Of the same threads, those that wait for another thread and ran within the last second or
    /// so.
    QUEUEING(level("process[].queueing", COUNT)),

    /// Threads that used a CPU before the load began, as they always did.
    SPINNING(level("process[].spinning", COUNT));

    private final Form form;

    ProcessFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }
}

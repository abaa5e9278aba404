package wallfinder.observation;

/// How many threads of a service wait at one instant, by what they wait for. Threads that wait for
/// work, as they do without load, count in none of them. Where a service has many threads, a part
/// of them is sampled and stands for all.
public enum WaitFigure implements Figure {
    /// For another thread: a lock, a condition or a hand-over.
    LOCK(Form.level("waits[].lock", Unit.COUNT)),

    /// The largest number of these that wait at one futex.
    SAME_FUTEX(Form.level("waits[].sameFutex", Unit.COUNT)),

    /// For a time to pass, also at a lock with a time limit.
    SLEEP(Form.level("waits[].sleep", Unit.COUNT)),

    /// For a file to be read, written or flushed.
    DISK(Form.level("waits[].disk", Unit.COUNT)),

    /// For a page of their memory, which the kernel reads from a file or from swap.
    PAGE(Form.level("waits[].page", Unit.COUNT)),

    /// For the reader of a pipe or terminal.
    OUTPUT(Form.level("waits[].output", Unit.COUNT)),

    /// For room in a socket's send buffer.
    TRANSMIT(Form.level("waits[].transmit", Unit.COUNT));

    private final Form form;

    WaitFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }
}

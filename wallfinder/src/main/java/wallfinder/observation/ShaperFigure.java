package wallfinder.observation;

/// A queue that lets a link send only at some rate. The subject is the link's name, and the kind
/// and the number of the queue, such as `eth0 tbf 8001:`.
public enum ShaperFigure implements Figure {
    /// What has left the queue.
    SENT(Form.total("shaper[].sent", Unit.BYTES)),

    /// The bytes a second that it allows.
    RATE(Form.level("shaper[].rate", Unit.BYTES)),

    /// What waits in the queue.
    BACKLOG(Form.level("shaper[].backlog", Unit.BYTES)),

    /// Packets dropped because the queue was full.
    DROPS(Form.total("shaper[].drops", Unit.COUNT)),

    /// How often a packet had to wait for the rate.
    OVERLIMITS(Form.total("shaper[].overlimits", Unit.COUNT));

    private final Form form;

    ShaperFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }
}

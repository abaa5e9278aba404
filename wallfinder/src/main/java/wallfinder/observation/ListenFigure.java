package wallfinder.observation;

/// A listener, by its port.
public enum ListenFigure implements Figure {
    /// Connections that wait for accept.
    QUEUE(Form.level("listen[].queue", Unit.COUNT)),

    /// The bound of the queue that is in force.
    LIMIT(Form.level("listen[].limit", Unit.COUNT)),

    /// Handshakes that it dropped.
    DROPS(Form.total("listen[].drops", Unit.COUNT)),

    /// Established connections to the port, accepted or not, with bytes that nobody has read.
    UNREAD(Form.level("listen[].unread", Unit.COUNT));

    private final Form form;

    ListenFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }

    public Key of(int port) {
        return of(Integer.toString(port));
    }
}

package wallfinder.observation;

/// A listener. The subject is its port.
public enum ListenFigure implements Figure {
    /// Connections that wait to be accepted at one socket of the port, the fullest one.
    QUEUE(Form.level("listen[].queue", Unit.COUNT)),

    /// Connections that wait to be accepted at all sockets of the port.
    QUEUED(Form.level("listen[].queued", Unit.COUNT)),

    /// The effective limit of the queue of the fullest socket.
    LIMIT(Form.level("listen[].limit", Unit.COUNT)),

    /// Dropped handshakes.
    DROPS(Form.total("listen[].drops", Unit.COUNT)),

    /// Sockets that listen on the port.
    SOCKETS(Form.level("listen[].sockets", Unit.COUNT)),

    /// Those of them that have dropped handshakes since the first sample.
    DROPPING(Form.level("listen[].dropping", Unit.COUNT)),

    /// Established connections to the port, accepted or not, with unread bytes.
    UNREAD(Form.level("listen[].unread", Unit.COUNT)),

    /// Established connections to the port with a last, partial segment that Nagle's algorithm
    /// holds back, because an earlier one is not acknowledged.
    HELD_BACK(Form.level("listen[].heldBack", Unit.COUNT));

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

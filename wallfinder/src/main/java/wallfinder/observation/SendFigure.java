package wallfinder.observation;

/// How the connections to a listener's port send. The subject is the port. Each of the levels is a
/// mean over the connections that TCP has limited since the reading before.
public enum SendFigure implements Figure {
    /// The time in which a connection had something to send, or something was not acknowledged, as
    /// a sum over all connections.
    BUSY(Form.total("send[].busy", Unit.MICROSECONDS)),

    /// The part of it in which the window of the other end was used up.
    WINDOW_LIMITED(Form.total("send[].windowLimited", Unit.MICROSECONDS)),

    /// The part of it in which the send buffer was full, and all in it was sent.
    BUFFER_LIMITED(Form.total("send[].bufferLimited", Unit.MICROSECONDS)),

    /// The smoothed round trip.
    ROUND_TRIP(Form.level("send[].roundTrip", Unit.MICROSECONDS)),

    /// The shortest round trip of the connection.
    ROUND_TRIP_MIN(Form.level("send[].roundTripMin", Unit.MICROSECONDS)),

    /// The window that the other end offers.
    WINDOW(Form.level("send[].window", Unit.BYTES)),

    /// The largest window that the other end was seen to offer on the same connection.
    WINDOW_MAX(Form.level("send[].windowMax", Unit.BYTES)),

    /// The limit of the send buffer.
    BUFFER(Form.level("send[].buffer", Unit.BYTES));

    private final Form form;

    SendFigure(Form form) {
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

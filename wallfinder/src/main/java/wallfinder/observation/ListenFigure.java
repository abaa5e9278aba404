package wallfinder.observation;

import static wallfinder.observation.Form.level;
import static wallfinder.observation.Form.total;
import static wallfinder.observation.Unit.COUNT;

/// A listener, by its port.
public enum ListenFigure implements Figure {
    /// Connections that wait for accept.
    QUEUE(level("listen[].queue", COUNT)),

    /// The bound of the queue that is in force.
    LIMIT(level("listen[].limit", COUNT)),

    /// Handshakes that it dropped.
    DROPS(total("listen[].drops", COUNT)),

    /// Established connections to the port, accepted or not, with bytes that nobody has read.
    UNREAD(level("listen[].unread", COUNT));

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

package wallfinder.observation;

import static wallfinder.observation.Form.level;
import static wallfinder.observation.Unit.COUNT;

/// The connections of an end to one destination that hold a local port, in any state, TIME_WAIT
/// included.
public enum PortsFigure implements Figure {
    USED(level("ports[].used", COUNT)),

    /// The size of the port range.
    LIMIT(level("ports[].limit", COUNT)),

    /// The established connections; of the busiest destination only.
    CONNECTED(level("ports[].connected", COUNT)),

    /// Of these, the ones over which this end sent something since anything came back.
    BUSY(level("ports[].busy", COUNT));

    private final Form form;

    PortsFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }
}

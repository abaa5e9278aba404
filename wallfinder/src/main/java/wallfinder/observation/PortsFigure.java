package wallfinder.observation;

/// The connections of an end to one destination that hold a local port, in any state, TIME_WAIT
/// included.
public enum PortsFigure implements Figure {
    USED(Form.level("ports[].used", Unit.COUNT)),

    /// The size of the port range.
    LIMIT(Form.level("ports[].limit", Unit.COUNT)),

    /// The established connections to the destination that has the most of them.
    CONNECTED(Form.level("ports[].connected", Unit.COUNT)),

    /// Of these, the ones over which this end sent something since anything came back.
    BUSY(Form.level("ports[].busy", Unit.COUNT));

    private final Form form;

    PortsFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }
}

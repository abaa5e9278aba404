package wallfinder.observation;

/// The connections of an end to one destination, in any state including TIME_WAIT.
public enum PortsFigure implements Figure {
    USED(Form.level("ports[].used", Unit.COUNT)),

    /// The size of the port range.
    LIMIT(Form.level("ports[].limit", Unit.COUNT)),

    /// Established connections to the destination that has the most.
    CONNECTED(Form.level("ports[].connected", Unit.COUNT)),

    /// The connections among these over which this end has sent something since it last received
    /// anything.
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

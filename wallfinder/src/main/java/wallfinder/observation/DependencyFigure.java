package wallfinder.observation;

/// A destination that the services of an end have connections to, by its address.
public enum DependencyFigure implements Figure {
    CONNECTIONS(Form.level("dependency[].connections", Unit.COUNT)),

    /// The connections over which something was sent since anything came back: requests under way.
    BUSY(Form.level("dependency[].busy", Unit.COUNT));

    private final Form form;

    DependencyFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }
}

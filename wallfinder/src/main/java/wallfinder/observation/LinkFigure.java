package wallfinder.observation;

/// A network link. The subject is its name.
public enum LinkFigure implements Figure {
    SENT(Form.total("link[].sent", Unit.BYTES)),
    RECEIVED(Form.total("link[].received", Unit.BYTES)),

    /// Bytes a second in each direction. Virtual links have no speed.
    SPEED(Form.level("link[].speed", Unit.BYTES));

    private final Form form;

    LinkFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }
}

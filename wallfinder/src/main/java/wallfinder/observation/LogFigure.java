package wallfinder.observation;

/// What a service writes.
public enum LogFigure implements Figure {
    /// How often it wrote that its heap is full.
    HEAP_ERRORS(Form.total("log[].heapErrors", Unit.COUNT));

    private final Form form;

    LogFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }
}

package wallfinder.observation;

/// The output of a service.
public enum LogFigure implements Figure {
    /// Messages that the heap is full.
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

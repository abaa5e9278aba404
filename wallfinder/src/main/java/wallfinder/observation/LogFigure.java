package wallfinder.observation;

/// The output of a service.
public enum LogFigure implements Figure {
    /// Messages that the heap is full.
    HEAP_ERRORS(Form.total("log[].heapErrors", Unit.COUNT)),

    /// Messages that a file or socket could not be opened: EMFILE or ENFILE.
    DESCRIPTOR_ERRORS(Form.total("log[].descriptorErrors", Unit.COUNT)),

    /// Messages that a thread could not be started.
    THREAD_ERRORS(Form.total("log[].threadErrors", Unit.COUNT));

    private final Form form;

    LogFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }
}

package wallfinder.observation;

import static wallfinder.observation.Form.total;
import static wallfinder.observation.Unit.COUNT;

/// What a service writes.
public enum LogFigure implements Figure {
    /// How often it wrote that its heap is full.
    HEAP_ERRORS(total("log[].heapErrors", COUNT));

    private final Form form;

    LogFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }
}

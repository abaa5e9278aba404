package wallfinder.observation;

/// The failed requests of one kind. The subject is the word of an [ErrorKind].
public enum FailureFigure implements Figure {
    COUNT(Form.total("load.errors[]", Unit.COUNT));

    private final Form form;

    FailureFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }

    public Key of(ErrorKind kind) {
        return of(kind.word());
    }
}

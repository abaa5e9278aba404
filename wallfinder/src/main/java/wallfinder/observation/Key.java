package wallfinder.observation;

/// What a counter counts. Its text is its name in `run.json`, in `series.csv` and in recorded
/// observations. [#parse] returns the key of such a name.
public sealed interface Key permits EndFigure, LoadFigure, KernelCounter, Key.Of, Key.Derived {
    Form form();

    /// Its name in files, such as `process[web].cpu`.
    default String text() {
        return form().text();
    }

    default Counter at(End end, String source) {
        return new Counter(this, end, source);
    }

    default boolean isOf(Figure figure) {
        return this instanceof Of of && of.figure() == figure;
    }

    /// The key of a name in a file. A name without a declared figure is a kernel counter.
    static Key parse(String text) {
        return KeyNames.parse(text);
    }

    /// A figure of one service, listener or destination.
    record Of(Figure figure, String subject) implements Key {
        @Override
        public Form form() {
            return figure.form();
        }

        @Override
        public String text() {
            return form().text().replace("[]", "[" + subject + "]");
        }
    }

    /// Evidence that is not a counter: a setting, or a part of the load's outcome.
    record Derived(String text) implements Key {
        @Override
        public Form form() {
            return Form.level(text, Unit.COUNT);
        }
    }
}

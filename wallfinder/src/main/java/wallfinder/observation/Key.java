package wallfinder.observation;

/// What a counter counts. Its text is its name in `run.json`, in `series.csv` and in recorded
/// observations, and [#parse] makes the key of such a name again.
public sealed interface Key permits EndFigure, LoadFigure, KernelCounter, Key.Of, Key.Derived {
    Form form();

    /// Its name in files, such as `process[web].cpu`.
    default String text() {
        return form().text();
    }

    /// The counter of it at one end.
    ///
    /// @param source where it is read
    default Counter at(End end, String source) {
        return new Counter(this, end, source);
    }

    default boolean isOf(Figure figure) {
        return this instanceof Of of && of.figure() == figure;
    }

    /// The key of a name in a file. A name without a declared figure is one of the kernel's.
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

    /// Evidence that no counter has: a setting, or what the load's outcome says.
    record Derived(String text) implements Key {
        @Override
        public Form form() {
            return Form.level(text, Unit.COUNT);
        }
    }
}

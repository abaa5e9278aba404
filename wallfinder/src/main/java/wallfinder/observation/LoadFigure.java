package wallfinder.observation;

/// The counters of the load, and the threads and memory of its generator.
public enum LoadFigure implements Key {
    REQUESTS(Form.total("load.requests", Unit.COUNT)),
    ERRORS(Form.total("load.errors", Unit.COUNT)),
    GOOD(Form.total("load.good", Unit.COUNT)),
    CONNECTIONS_OPENED(Form.total("load.connectionsOpened", Unit.COUNT)),
    RESPONSE_MICROS_SUM(Form.total("load.responseMicrosSum", Unit.MICROSECONDS)),
    CONNECTIONS(Form.level("load.connections", Unit.COUNT)),

    /// The CPU time of the engine's threads.
    GENERATOR_CPU(Form.total("generator.cpu", Unit.SECONDS)),

    /// The CPU time of the generator's whole process, with its samplers and compilers.
    GENERATOR_PROGRAM_CPU(Form.total("generator.programCpu", Unit.SECONDS)),
    GENERATOR_WAITING(Form.total("generator.waiting", Unit.SECONDS)),
    GENERATOR_THREADS(Form.level("generator.threads", Unit.COUNT)),
    GENERATOR_RSS(Form.level("generator.rss", Unit.BYTES));

    private final Form form;

    LoadFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }
}

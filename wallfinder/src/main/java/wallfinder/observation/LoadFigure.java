package wallfinder.observation;

import static wallfinder.observation.Form.level;
import static wallfinder.observation.Form.total;
import static wallfinder.observation.Unit.BYTES;
import static wallfinder.observation.Unit.COUNT;
import static wallfinder.observation.Unit.MICROSECONDS;
import static wallfinder.observation.Unit.SECONDS;

/// What the load counts, and its generator's own threads and memory.
public enum LoadFigure implements Key {
    REQUESTS(total("load.requests", COUNT)),
    ERRORS(total("load.errors", COUNT)),
    GOOD(total("load.good", COUNT)),
    CONNECTIONS_OPENED(total("load.connectionsOpened", COUNT)),
    RESPONSE_MICROS_SUM(total("load.responseMicrosSum", MICROSECONDS)),
    CONNECTIONS(level("load.connections", COUNT)),
    GENERATOR_CPU(total("generator.cpu", SECONDS)),
    GENERATOR_WAITING(total("generator.waiting", SECONDS)),
    GENERATOR_THREADS(level("generator.threads", COUNT)),
    GENERATOR_RSS(level("generator.rss", BYTES));

    private final Form form;

    LoadFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }
}

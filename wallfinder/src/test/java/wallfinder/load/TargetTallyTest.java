package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.RequestSpec;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadOutcome.Requests;

@Timeout(60)
@ParameterizedClass
@EnumSource(names = {"IO_URING", "EPOLL"})
class TargetTallyTest {
    private static final String MISSING = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";

    @Parameter EngineChoice engine;

    private static RequestSpec get(String path, int weight) {
        return new RequestSpec("GET", path, List.of(), null, weight);
    }

    /// Answers /good, answers 404 to /missing, and closes the connection at /gone.
    private static ScriptedServer server() {
        return new ScriptedServer(visit -> {
            while (visit.readRequest() && !visit.firstLine().contains("/gone")) {
                visit.answer(visit.firstLine().contains("/missing") ? MISSING : ScriptedServer.OK);
            }
        });
    }

    @Test
    void each_request_has_its_own_answers_errors_and_times() {
        try (ScriptedServer server = server()) {
            PlanMaker plan =
                    new PlanMaker(server.address())
                            .engine(engine)
                            .threads(2)
                            .connections(4)
                            .keepalive(false)
                            .arrival(new Arrival.Rate(400))
                            .request(get("/good/{counter}", 3))
                            .request(get("/missing", 1))
                            .request(get("/gone", 1));
            Requests outcome = SmallLoad.run(plan.make(), 200, Duration.ofSeconds(20));
            List<LoadOutcome.Target> targets = outcome.targets();
            assertThat(targets.stream().map(LoadOutcome.Target::request))
                    .containsExactly("GET /good/{counter}", "GET /missing", "GET /gone");
            assertThat(targets.stream().map(LoadOutcome.Target::answered))
                    .containsExactly(120L, 40L, 0L);
            assertThat(targets.stream().map(target -> target.errors().toString()))
                    .containsExactly("{}", "{status-4xx=40}", "{closed=40}");
            assertThat(targets.stream().map(target -> target.responseNanos().getTotalCount()))
                    .containsExactly(120L, 0L, 0L);
            assertThat(targets.stream().map(LoadOutcome.Target::bad)).containsExactly(0L, 40L, 0L);
            assertThat(outcome.answered()).isEqualTo(160);
        }
    }

    @Test
    void a_single_request_and_more_than_a_hundred_are_not_counted_separately() {
        try (ScriptedServer server = server()) {
            PlanMaker many = new PlanMaker(server.address()).engine(engine);
            for (int i = 0; i <= TargetTally.TARGETS_MAX; i++) {
                many.request(get("/good/" + i, 1));
            }
            assertThat(SmallLoad.run(many.make(), 5, Duration.ofSeconds(20)).targets()).isEmpty();
            PlanMaker one = new PlanMaker(server.address()).engine(engine);
            assertThat(SmallLoad.run(one.make(), 5, Duration.ofSeconds(20)).targets()).isEmpty();
        }
    }
}

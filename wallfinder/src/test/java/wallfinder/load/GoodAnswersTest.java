package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import wallfinder.experiment.Expectation;
import wallfinder.experiment.Gets;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadOutcome.Requests;

/// Rates and times count only expected answers.
@Timeout(60)
@ParameterizedClass
@EnumSource(names = {"IO_URING", "EPOLL"})
class GoodAnswersTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final String EMPTY = " \r\nContent-Length: 0\r\n\r\n";
    private static final String CHUNKS =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "4\r\nall \r\n6\r\nis wel\r\n1\r\nl\r\n0\r\n\r\n";

    @Parameter EngineChoice engine;

    private Requests run(List<String> answers, Expectation expect) {
        AtomicInteger next = new AtomicInteger();
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    while (visit.readRequest()) {
                        visit.answer(answers.get(next.getAndIncrement() % answers.size()));
                    }
                })) {
            PlanMaker plan = new PlanMaker(server.address()).engine(engine).expect(expect);
            return SmallLoad.run(plan.make(), 12, LONG);
        }
    }

    private static String status(int code) {
        return "HTTP/1.1 " + code + EMPTY;
    }

    private static Expectation expect(@Nullable String body, String... statuses) {
        return new Expectation(List.of(statuses), body);
    }

    @Test
    void each_status_is_counted_and_only_expected_ones_are_good() {
        Requests outcome =
                run(
                        List.of(status(200), status(302), status(404), status(503)),
                        Expectation.DEFAULT);
        assertThat(outcome.answers().statuses()).hasToString("{200=3, 302=3, 404=3, 503=3}");
        assertThat(outcome.errors()).hasToString("{status-4xx=3, status-5xx=3}");
        assertThat(outcome.answered()).isEqualTo(12);
        assertThat(outcome.good()).isEqualTo(6);
        assertThat(outcome.throughput()).isEqualTo(6 / outcome.seconds());
        assertThat(outcome.responseNanos().getTotalCount()).isEqualTo(6);
        assertThat(outcome.times().serviceNanos().getTotalCount()).isEqualTo(6);
        assertThat(outcome.answers().badNanos().getTotalCount()).isEqualTo(6);
        assertThat(outcome.networkErrors()).isZero();
    }

    @Test
    void the_expectation_decides_what_is_good() {
        Requests outcome =
                run(List.of(status(200), status(302), status(404)), expect(null, "404", "2xx"));
        assertThat(outcome.errors()).hasToString("{status-unexpected=4}");
        assertThat(outcome.good()).isEqualTo(8);
        assertThat(outcome.redirects()).isEqualTo(4);
    }

    @Test
    void a_body_without_the_expected_text_is_not_a_good_answer() {
        Requests outcome =
                run(
                        List.of(
                                CHUNKS,
                                "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nall is w",
                                "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nall is well",
                                status(503)),
                        expect("is well", "200"));
        assertThat(outcome.errors()).hasToString("{status-5xx=3, unexpected-body=3}");
        assertThat(outcome.good()).isEqualTo(6);
        assertThat(outcome.answers().badNanos().getTotalCount()).isEqualTo(6);
    }

    @Test
    void each_target_has_the_times_of_its_good_answers() {
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    while (visit.readRequest()) {
                        visit.answer(status(visit.firstLine().contains("/bad") ? 500 : 200));
                    }
                })) {
            PlanMaker plan =
                    new PlanMaker(server.address())
                            .engine(engine)
                            .request(Gets.request("/good"))
                            .request(Gets.request("/bad"));
            List<LoadOutcome.Target> targets = SmallLoad.run(plan.make(), 10, LONG).targets();
            assertThat(targets.stream().map(LoadOutcome.Target::answered)).containsExactly(5L, 5L);
            assertThat(targets.stream().map(LoadOutcome.Target::bad)).containsExactly(0L, 5L);
            assertThat(targets.stream().map(target -> target.responseNanos().getTotalCount()))
                    .containsExactly(5L, 0L);
        }
    }

    @Test
    void a_probe_counts_bad_answers() {
        try (ScriptedServer server = ScriptedServer.answering(status(503))) {
            Probe probe =
                    SmallLoad.probe(new PlanMaker(server.address()).engine(engine).make(), 5, LONG);
            assertThat(probe.bad()).isEqualTo(5);
            assertThat(probe.good()).isZero();
            assertThat(probe.responseNanos().getTotalCount()).isZero();
        }
    }

    /// Sequential requests are a load, too.
    @Test
    void a_service_that_rejects_a_rate_gives_a_single_request_a_good_answer() {
        long start = System.nanoTime();
        AtomicInteger served = new AtomicInteger();
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    while (visit.readRequest()) {
                        long second = (System.nanoTime() - start) / 1_000_000_000L;
                        visit.answer(
                                status(served.getAndSet((int) second + 1) > second ? 429 : 200));
                    }
                })) {
            Probe probe =
                    SmallLoad.probe(
                            new PlanMaker(server.address()).engine(engine).make(), 20, LONG);
            assertThat(probe.bad()).isZero();
            assertThat(probe.good()).isBetween(1L, 3L);
        }
    }
}

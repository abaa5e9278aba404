package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import wallfinder.observation.LoadOutcome.Requests;

/// `bench/fuzz` runs the same test with more exchanges.
@Tag("slow")
@Timeout(120)
@ParameterizedClass
@EnumSource(names = {"IO_URING", "EPOLL"})
record EngineFuzzTest(EngineChoice engine) {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String OK = "HTTP/1.1 200 OK\r\n";

    @Test
    void a_hostile_server_and_the_engine_count_the_same() {
        EngineFuzz.warmUp();
        Seeded.cases(1, 6, random -> EngineFuzz.of(random, engine, 500));
    }

    @Test
    void an_endless_head_is_malformed() {
        for (String[] text : Hostility.ENDLESS_HEADS) {
            assertThat(errorOf(text)).as(text[0] + text[1]).isEqualTo("malformed");
        }
        for (String[] text : Hostility.ENDLESS_CHUNK_HEADS) {
            assertThat(errorOf(text)).as(text[0] + text[1]).isEqualTo("malformed");
        }
    }

    /// Such an answer is correct, but too long.
    @Test
    void an_endless_body_times_out() {
        assertThat(errorOf(OK + "\r\n", "body")).isEqualTo("timeout");
        assertThat(errorOf(OK + "Content-Length: 9223372036854775000\r\n\r\n", "body"))
                .isEqualTo("timeout");
        assertThat(errorOf(OK + "Transfer-Encoding: chunked\r\n\r\n", "4\r\nbody\r\n"))
                .isEqualTo("timeout");
    }

    private String errorOf(String... text) {
        try (ScriptedServer server = endless(text)) {
            PlanMaker plan = plan(server).timeout(Duration.ofSeconds(1));
            Requests outcome = SmallLoad.run(plan.make(), 2, LONG);
            assertThat(outcome.networkErrors()).isEqualTo(2);
            assertThat(outcome.errors()).hasSize(1);
            return outcome.errors().firstKey();
        }
    }

    private PlanMaker plan(ScriptedServer server) {
        return new PlanMaker(server.address()).engine(engine).connections(2);
    }

    private static ScriptedServer endless(String... text) {
        return new ScriptedServer(visit -> {
            visit.readRequest();
            Hostility.forEver(visit, text[0], text[1]);
        });
    }

    /// Answers are complete, so the engine sees extra bytes with them, or they end the connection.
    @Test
    void an_endless_body_after_head_does_not_block_the_run() {
        try (ScriptedServer server = endless(OK + "Content-Length: 9\r\n\r\n", "body")) {
            Requests outcome = SmallLoad.run(plan(server).method("HEAD").make(), 50, LONG);
            assertThat(outcome.answered() + outcome.networkErrors()).isEqualTo(50);
            assertThat(outcome.errors().keySet()).isSubsetOf("malformed");
        }
    }

    @Test
    void a_run_with_endless_bodies_ends_in_time() {
        try (ScriptedServer server = endless(OK + "\r\n", "body");
                LoadRun run = LoadRun.start(plan(server).make())) {
            assertThat(run.awaitDone(Duration.ofMillis(300))).isFalse();
            Requests outcome = run.finish(Duration.ofMillis(100));
            assertThat(outcome.inFlight()).isEqualTo(2).isEqualTo(outcome.sent());
            assertThat(outcome.exchanges().bytesReceived()).isPositive();
        }
    }
}

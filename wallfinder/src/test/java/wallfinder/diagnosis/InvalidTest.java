package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import wallfinder.experiment.WallId;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.KernelCounter;

/// A generator at its limit spoils rates and latencies only.
class InvalidTest {
    /// The generator never waits for an answer, so the figures are its own.
    private static Recorded limited() {
        return Recorded.healthy()
                .connections(512)
                .unloadedMillis(2)
                .responseMillis(16, 39_000)
                .idleShare(0.01);
    }

    @Test
    void thousands_of_dropped_handshakes_are_named_too() {
        Diagnosis diagnosis =
                limited()
                        .connectMillis(1_030, 3_000)
                        .alsoResponseMillis(1_040, 3_000)
                        .listener(8080, 9, 8, 4_000)
                        .grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 4_000)
                        .grows(KernelCounter.SYN_RETRANS, End.CLIENT, 3_900)
                        .diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.INVALID);
        assertThat(diagnosis.wallId()).contains("load-generator");
        assertThat(diagnosis.also())
                .extracting(b -> b.wall().id().word())
                .containsExactly("accept-queue");
        assertThat(diagnosis.also().getFirst().harm()).isNotNull();
    }

    @Test
    void failed_requests_that_no_wall_explains_are_described() {
        Diagnosis diagnosis = limited().error("closed", 130_954).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.INVALID);
        assertThat(diagnosis.seen())
                .isEqualTo("closes accepted connections unanswered (130954 times)");
    }

    @Test
    void what_rests_on_rates_and_latencies_is_unknown() {
        Diagnosis diagnosis = limited().diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.INVALID);
        assertThat(diagnosis.also()).isEmpty();
        assertThat(diagnosis.seen()).isNull();
        assertThat(NotNamed.because(diagnosis, WallId.SERVER_CONCURRENCY)).startsWith("unknown");
        Diagnosis busy = limited().cpuShare(0.85).diagnosed();
        assertThat(busy.also()).isEmpty();
        assertThat(NotNamed.because(busy, WallId.CPU)).startsWith("unknown");
    }

    /// On each tenth of a second that the hypervisor took, the thread was neither running nor
    /// waiting for a CPU.
    private static Recorded robbed(double idleShare, double stolenShare) {
        return limited()
                .idleShare(idleShare)
                .grows(EndFigure.CPUS_BUSY, End.CLIENT, (1 - idleShare) * Recorded.SECONDS)
                .grows(EndFigure.CPUS_STEAL, End.CLIENT, stolenShare * Recorded.SECONDS);
    }

    @Test
    void time_that_the_hypervisor_took_from_the_generator_is_no_waiting_for_answers() {
        Diagnosis diagnosis = robbed(0.11, 0.10).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.INVALID);
        assertThat(diagnosis.headline().evidence().getFirst().says())
                .isEqualTo(
                        "the generator's threads waited for answers in only 1 % of the time, and the"
                                + " hypervisor had their CPU in 10 %");
        assertThat(robbed(0.11, 0).diagnosed().verdict()).isNotEqualTo(Verdict.INVALID);
        assertThat(robbed(0.40, 0.10).diagnosed().verdict()).isNotEqualTo(Verdict.INVALID);
    }

    @Test
    void a_port_that_was_missing_once_spoils_nothing() {
        Diagnosis once = Recorded.healthy().exhausted("ports", 1).diagnosed();
        assertThat(once.verdict()).isEqualTo(Verdict.NONE);
        assertThat(once.caveats()).extracting(Caveat::id).contains("near:load-generator");
        assertThat(Recorded.healthy().exhausted("ports", 39).diagnosed().verdict())
                .isEqualTo(Verdict.NONE);
        assertThat(Recorded.healthy().exhausted("ports", 41).diagnosed().verdict())
                .isEqualTo(Verdict.INVALID);
    }

    /// One of 64 connections tried about every 64 ms and never got a port. The others have ten
    /// times as many answers as usual.
    @Test
    void a_connection_that_never_got_a_port_makes_the_result_invalid() {
        Recorded many = Recorded.healthy().unloadedMillis(1.5).responseMillis(1.6, 400_000);
        assertThat(many.exhausted("ports", 99).diagnosed().verdict()).isEqualTo(Verdict.NONE);
        assertThat(many.exhausted("ports", 150).diagnosed().verdict()).isEqualTo(Verdict.INVALID);
    }

    @Test
    void every_judgement_is_made_once() {
        Diagnosis diagnosis = limited().diagnosed();
        assertThat(diagnosis.ruledOut()).hasSize(Walls.ALL.size() - 1);
    }
}

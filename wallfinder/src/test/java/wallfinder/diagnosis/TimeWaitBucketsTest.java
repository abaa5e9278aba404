package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;

class TimeWaitBucketsTest {
    private static final String NEAR = "near:time-wait-buckets";

    private static Recorded overflowing() {
        return Recorded.healthy()
                .grows(KernelCounter.TIME_WAIT_OVERFLOW, End.CLIENT, 300)
                .clientSysctl("net.ipv4.tcp_max_tw_buckets", "100");
    }

    @Test
    void connections_without_a_place_in_time_wait_are_near() {
        Diagnosis diagnosis = overflowing().diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats())
                .anySatisfy(caveat -> {
                    assertThat(caveat.id()).isEqualTo(NEAR);
                    assertThat(caveat.advice())
                            .contains(
                                    "on the client, 300 connections", "tcp_max_tw_buckets is 100");
                });
    }

    @Test
    void errors_without_enough_drops_have_another_cause() {
        Diagnosis diagnosis = overflowing().error("reset", 900).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
    }

    @Test
    void sockets_of_the_whole_host_are_unknown() {
        Diagnosis diagnosis = overflowing().host().diagnosed();
        assertThat(diagnosis.caveats()).extracting(Caveat::id).doesNotContain(NEAR);
    }
}

package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.lab.find.Find;
import wallfinder.record.RunRecord;

/// A service whose first answers take ten times as long. The gain of a remedy must not depend on
/// how warm the service is.
@Tag("sandbox")
@Tag("long")
class PlantedColdStartTest extends PlantedTest {
    /// Four workers of 10 ms each give 400 answers a second. The first 400 answers take 10 s.
    private RunRecord.Rung firstRung(String command, String knob) throws Exception {
        run.stopAfterFirstRung();
        Find.Result result =
                run.find(
                        """
                        services:
                          front:
                            command: >-
                              python3 $server.py --port 9096 --latency 10
                              --cold 400 %s
                            ready: { log: ready }
                            knobs:
                              %s
                        load: { url: "http://{server}:9096/", connections: 32, duration: 2s }
                        repeat: 5
                        """
                                .formatted(command, knob));
        assertThat(result.ladder()).as(run.output()).isNotEmpty();
        return result.ladder().getFirst();
    }

    @RepeatedTest(5)
    void a_knob_that_does_nothing_has_no_effect() throws Exception {
        RunRecord.Rung rung =
                firstRung(
                        "--workers 4 --knob {size}",
                        "size: { value: 1, moves: server-concurrency, max: 8 }");
        assertThat(rung.remedy()).as(run.output()).isNull();
        assertThat(rung.without()).hasSize(1);
        assertThat(rung.without().getFirst().throughput().effect())
                .isEqualTo(RatioInterval.Effect.NONE);
    }

    @Test
    void twice_as_many_workers_gain_twice_the_rate_and_not_twenty_times() throws Exception {
        RunRecord.Rung rung =
                firstRung(
                        "--workers {size}",
                        "size: { value: 4, moves: server-concurrency, max: 8 }");
        assertThat(rung.remedy()).as(run.output()).isNotNull();
        assertThat(rung.remedy().throughput().ratio()).isBetween(1.8, 2.2);
    }
}

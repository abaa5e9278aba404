package wallfinder.lab.trial;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.LoadSpec;
import wallfinder.observation.Caveat;

/// The patterns of docs/load-commands.md read the output of common load tools.
class CommandOutputTest {
    private static final String WRK =
            """
            Running 1m test @ http://10.0.0.1:8080/
              2 threads and 64 connections
              Thread Stats   Avg      Stdev     Max   +/- Stdev
                Latency     1.02ms    2.10ms  33.02ms   95.09%
                Req/Sec    53.12k     4.99k   60.01k    70.00%
              6345678 requests in 1.00m, 0.89GB read
            """;
    private static final String AB =
            """
            Concurrency Level:      32
            Time taken for tests:   2.504 seconds
            Complete requests:      20000
            Failed requests:        12
               (Connect: 0, Receive: 12, Length: 0, Exceptions: 0)
            Requests per second:    7987.22 [#/sec] (mean)
            """;
    private static final String HEY =
            """
            Summary:
              Total:	2.0071 secs
              Requests/sec:	9961.4857
            """;

    private static CommandOutput.Figures read(
            String text,
            @Nullable String requests,
            @Nullable String seconds,
            @Nullable String rate,
            @Nullable String errors) {
        return new CommandOutput(text)
                .figures(new LoadSpec.Measure(null, requests, seconds, rate, errors), 70);
    }

    @Test
    void wrk_prints_minutes_and_prints_errors_only_if_there_are_some() {
        String requests = "(\\d+) requests in";
        String seconds = "requests in ([\\d.]+\\w+),";
        String errors =
                "(?s)requests in(?:.*?connect (\\d+), read (\\d+), write (\\d+), timeout (\\d+))?"
                        + "(?:.*?Non-2xx or 3xx responses: (\\d+))?";
        assertThat(read(WRK, requests, seconds, null, errors))
                .isEqualTo(new CommandOutput.Figures(6_345_678, 60, 0L));
        String failing = WRK + "  Socket errors: connect 1, read 20, write 0, timeout 300\n";
        assertThat(read(failing, requests, seconds, null, errors).errors()).isEqualTo(321L);
        String bad = "  Non-2xx or 3xx responses: 5000\n";
        assertThat(read(WRK + bad, requests, seconds, null, errors).errors()).isEqualTo(5_000L);
        assertThat(read(failing + bad, requests, seconds, null, errors).errors()).isEqualTo(5_321L);
    }

    @Test
    void ab_prints_requests_seconds_and_errors() {
        assertThat(ab(AB)).isEqualTo(new CommandOutput.Figures(20_000, 2.504, 12L));
        assertThat(ab(AB + "Non-2xx responses:      19000\n").errors()).isEqualTo(19_012L);
    }

    private static CommandOutput.Figures ab(String text) {
        return read(
                text,
                "Complete requests: +(\\d+)",
                "Time taken for tests: +([\\d.]+)",
                null,
                "(?s)Failed requests: +(\\d+)(?:.*?Non-2xx responses: +(\\d+))?");
    }

    @Test
    void the_requests_of_hey_are_computed_from_its_rate() {
        assertThat(read(HEY, null, "Total:\\s+([\\d.]+)", "Requests/sec:\\s+([\\d.]+)", null))
                .isEqualTo(new CommandOutput.Figures(19_994, 2.0071, null));
    }

    @Test
    void the_time_is_computed_from_requests_and_a_rate() {
        CommandOutput.Figures figures =
                read(
                        "1,510,322,517 calls\n52441.3/s",
                        "([\\d,]+) calls",
                        null,
                        "([\\d.]+)/s",
                        null);
        assertThat(figures.requests()).isEqualTo(1_510_322_517L);
        assertThat(figures.requests() / figures.seconds()).isBetween(52_441.2, 52_441.4);
    }

    @Test
    void the_last_running_total_counts() {
        assertThat(read("calls: 3\ncalls: 70\ncalls: 900\n", "calls: (\\d+)", null, null, null))
                .isEqualTo(new CommandOutput.Figures(900, 70, null));
    }

    @Test
    void a_missing_figure_is_unknown_and_reported() {
        CommandOutput output = new CommandOutput("it went well: twelve calls");
        assertThat(
                        output.figures(
                                new LoadSpec.Measure(
                                        null, "well: (\\w+)", "in (\\d+) s", null, "bad: (\\d+)"),
                                70))
                .isEqualTo(new CommandOutput.Figures(0, 70, null));
        assertThat(output.caveats()).extracting(Caveat::id).containsExactly("measure-not-found");
        assertThat(output.caveats().getFirst().advice()).contains("requests, seconds, errors of");
    }

    @Test
    void a_rate_over_the_whole_life_of_the_program_is_a_caveat() {
        CommandOutput output = new CommandOutput("calls: 700");
        output.figures(new LoadSpec.Measure(null, "calls: (\\d+)", null, null, null), 70);
        assertThat(output.caveats()).extracting(Caveat::id).containsExactly("whole-life");
    }
}

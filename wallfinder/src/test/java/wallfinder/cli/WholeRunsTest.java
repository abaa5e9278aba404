package wallfinder.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Whole runs: killed, and at the same time.
@Tag("slow")
@Tag("sandbox")
@Timeout(300)
class WholeRunsTest extends ProgramTest {
    @Test
    void a_killed_run_leaves_nothing_after_the_next_start() throws Exception {
        Process kill =
                new ProcessBuilder(Program.ROOT.resolve("bench/kill").toString(), "5", "20")
                        .redirectErrorStream(true)
                        .start();
        String output = new String(kill.getInputStream().readAllBytes(), UTF_8);
        assertThat(kill.waitFor()).as(output).isZero();
        assertThat(output).endsWith("5 rounds, 5 clean\n");
    }

    @Test
    void a_second_run_waits_for_the_first_and_says_so() throws Exception {
        Path file = program.experiment("");
        String endless = Files.readString(file).replace("200ms", "10m");
        Path first = Files.writeString(program.file("endless.yaml"), endless);
        Program.Started measuring = program.start("find", first.toString());
        measuring.awaitOutput("look inside with");
        Program.Started second = program.start("find", file.toString());
        second.awaitOutput("another run is measuring (process " + measuring.process().pid() + ")");
        assertThat(measuring.signalled("INT").done(130).out()).contains("Ended: interrupted");
        assertThat(second.end().measured().out()).contains("Ended: ");
        assertThat(program.runs()).hasSize(2);
    }
}

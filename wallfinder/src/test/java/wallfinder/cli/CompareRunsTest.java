package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `compare` on runs that this test measures.
@Tag("sandbox")
@Tag("slow")
@Timeout(240)
class CompareRunsTest extends ProgramTest {
    private static final Path SERVER =
            Program.ROOT.resolve("wallfinder/src/test/resources/wallfinder/lab/server.py");

    /// With many workers a connection has its answer after 5 ms, with one after eight times 5 ms.
    private String measured(int crew) throws Exception {
        String name = "crew-" + crew;
        Path experiment =
                Files.writeString(
                        program.file(name + ".yaml"),
                        """
                        name: crew
                        services:
                          front:
                            command: python3 %s --port 9092 --workers {crew} --latency 5
                            ready: { log: ready }
                            knobs: { crew: { value: %d, moves: server-concurrency } }
                        load: { url: "http://{server}:9092/", connections: 8, duration: 300ms, warmup: 0s }
                        repeat: 2
                        """
                                .formatted(SERVER, crew));
        program.run("run", experiment.toString(), "--out", name).measured();
        return name;
    }

    @Test
    @Tag("long")
    void the_experiment_that_compare_prints_runs_and_decides() throws Exception {
        String one = measured(1);
        String eight = measured(8);

        Program.Ended compared = program.run("compare", one, eight).done(0);
        assertThat(compared.out()).containsPattern("a setting +crew +1 +8\n");

        Path decide = Files.writeString(program.file("decide.yaml"), experiment(compared.out()));
        Program.Ended decided = decided(decide);
        assertThat(decided.out()).contains("crew 8 against 1");
        assertThat(decided.judged(() -> decided(decide)).out()).contains("Best: cell 2 (crew 8)");
    }

    private Program.Ended decided(Path experiment) throws Exception {
        return program.run("run", experiment.toString()).measured();
    }

    private static String experiment(String output) {
        int begin = output.indexOf("    name: crew\n");
        assertThat(begin).as(output).isPositive();
        return output.substring(begin);
    }
}

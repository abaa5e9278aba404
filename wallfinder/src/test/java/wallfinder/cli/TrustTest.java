package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The question before an experiment runs for the first time.
@Tag("sandbox")
@Tag("slow")
@Timeout(180)
class TrustTest extends ProgramTest {
    private static final String QUESTION = "Start it? [y/N]";

    /// Whether the program asked.
    private boolean asks(Path experiment, String answer, int code) throws Exception {
        Files.deleteIfExists(program.file("tmux"));
        try (Tmux tmux =
                Tmux.start(
                        program,
                        120,
                        40,
                        List.of("XDG_STATE_HOME="),
                        "run",
                        experiment.toString(),
                        "--no-live")) {
            tmux.await(text -> text.contains(QUESTION) || text.contains("ended with "));
            boolean asked = tmux.text().contains(QUESTION);
            if (asked) {
                assertThat(tmux.text())
                        .contains("web: as ", "memory 64m", "wallfinder.cli.TinyServer 8080");
                tmux.keys(answer, "Enter");
            }
            tmux.await(text -> text.contains("ended with " + code));
            return asked;
        }
    }

    @Test
    void a_new_experiment_needs_a_yes_once() throws Exception {
        Path experiment = program.experiment("memory: 64m");
        Files.writeString(experiment, Files.readString(experiment) + "repeat: 1\n");
        assertThat(asks(experiment, "n", 2)).isTrue();
        assertThat(program.runs()).isEmpty();
        assertThat(asks(experiment, "y", 0)).isTrue();
        assertThat(asks(experiment, "n", 0)).isFalse();
    }

    @Test
    void without_a_terminal_nothing_is_asked_and_only_trust_is_remembered() throws Exception {
        Path experiment = program.experiment("memory: 64m");
        Files.writeString(experiment, Files.readString(experiment) + "repeat: 1\n");
        Path remembered = program.file(".local/state/wallfinder/trusted");
        program.under("env", "-u", "XDG_STATE_HOME");
        program.run("run", experiment.toString()).measured();
        assertThat(remembered).doesNotExist();
        program.run("run", experiment.toString(), "--trust").measured();
        assertThat(Files.readAllLines(remembered))
                .singleElement()
                .asString()
                .matches("[0-9a-f]{64}");
    }
}

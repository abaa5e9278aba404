package wallfinder.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A load of an experiment that is a command.
class LoadCommandTest {
    private static final String COMMAND =
            """
            services: { web: { command: serve, ready: { log: up }, knobs: { pool: { value: 4, moves: cpu } } } }
            load:
              command: drive {pool} {body}
              nofile: 256
              env: { MODE: "{body}" }
              knobs:
                body: { value: close, to: [read, buffer], moves: connection-churn }
              measure: { requests: '(\\d+) calls' }
            """;

    @Test
    void settings_of_a_load_command_can_be_changed_like_those_of_a_service() {
        Experiment experiment = parse(COMMAND);
        Experiment turned = experiment.with(experiment.setting("load.body"), "read");
        turned = turned.with(turned.setting("load.nofile"), "512");
        ServiceSpec program = turned.programs().getLast();

        assertThat(experiment.setting("body")).isEqualTo(experiment.setting("load.body"));
        assertThat(turned.value(turned.setting("body"))).isEqualTo("read");
        assertThat(program.name()).isEqualTo("load");
        assertThat(program.limits().nofile()).isEqualTo(512);
        assertThat(program.knobs().get("body").to()).containsExactly("read", "buffer");
        assertThat(turned.services()).isEqualTo(experiment.services());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    body: {    | pool: {                     | its knob 'pool' is also one of a service
                    [read, buffer] | []                      | there is no value
                    to: [read, buffer] | to: [read], max: 9  | raised up to 'max', or turned 'to'
                    requests: '(\\d+) calls' | rate: '(\\d+)'  | does not say how to find
                    requests: '(\\d+) calls' | errors: '(\\d+)' | does not say how to find
                    """)
    void invalid_settings_of_a_load_command_are_refused(String from, String to, String complaint) {
        String text = COMMAND.replace("{body}", "x").replace(from, to);

        assertThatThrownBy(() -> parse(text)).hasMessageContaining(complaint);
    }

    private static Experiment parse(String text) {
        return ExperimentFile.parse(text, "command.yaml", "command");
    }
}

package wallfinder.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.experiment.UsageException;

class SshTargetTest {
    @ParameterizedTest
    @CsvSource({
        "ssh:web1, web1",
        "ssh:admin@10.0.0.2, admin@10.0.0.2",
        "ssh:fe80::1%eth0, fe80::1%eth0",
        "ssh:user@EXAMPLE.COM@web-1, user@EXAMPLE.COM@web-1"
    })
    void a_destination_is_what_ssh_takes(String text, String destination) {
        assertThat(SshTarget.parse("--server", text).destination()).isEqualTo(destination);
    }

    /// `ssh` would take some of these for an option, and a shell for a command.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "web1",
                "ssh:",
                "ssh:-oProxyCommand=id",
                "ssh:a b",
                "ssh:user@",
                "ssh:$(id)",
                "ssh:a'b",
                "ssh:a\nb",
                "ssh://web1"
            })
    void anything_else_is_refused(String text) {
        assertThatThrownBy(() -> SshTarget.parse("--server", text))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("ssh:[USER@]HOST");
    }
}

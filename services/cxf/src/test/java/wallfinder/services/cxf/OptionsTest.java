package wallfinder.services.cxf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {
    @Test
    void without_options_the_documented_defaults_apply() {
        assertThat(ServerOptions.parse())
                .isEqualTo(
                        new ServerOptions("0.0.0.0", 9000, false, 0, 200, 100_000, "", "changeit"));
        ClientOptions client = ClientOptions.parse();
        assertThat(client.address())
                .isEqualTo("http://localhost:9000/customerservice/customers/123");
        assertThat(client.threads()).isEqualTo(1);
        assertThat(client.time()).isEqualTo(Duration.ofSeconds(30));
        assertThat(client.consume()).isEqualTo(ClientOptions.Consume.CLOSE);
        assertThat(client.conduit()).isEqualTo(ClientOptions.Conduit.HTTPCLIENT);
        assertThat(client.format()).isEqualTo(ClientOptions.Format.XML);
    }

    @Test
    void an_address_is_given_as_a_whole_or_in_parts() {
        assertThat(
                        ClientOptions.parse("post", "--protocol=https", "--host=h", "--port=7")
                                .address())
                .isEqualTo("https://h:7/customerservice/customers");
        assertThat(ClientOptions.parse("put", "--url=http://[::1]:7/").address())
                .isEqualTo("http://[::1]:7/customerservice/customers");
        assertThat(ClientOptions.parse("--count=5").time()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "patch",
                "--threads=0",
                "--thread=4",
                "--time=soon",
                "--time=0s",
                "--count=0",
                "--url=ftp://h",
                "--consume=eat",
                "--conduit=netty",
                "--accept=text",
                "--stop-on-error=maybe"
            })
    void a_wrong_option_of_the_client_is_named(String wrong) {
        assertNamed(wrong, () -> ClientOptions.parse(wrong));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--backlogs=1",
                "--backlog=-1",
                "--port=65536",
                "--threads=1",
                "--keystore=f"
            })
    void a_wrong_option_of_the_server_is_named(String wrong) {
        assertNamed(wrong, () -> ServerOptions.parse(wrong));
    }

    private static void assertNamed(String wrong, Runnable parse) {
        String name = wrong.replaceFirst("^--", "").replaceFirst("=.*", "");
        assertThatThrownBy(parse::run)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(name);
    }
}

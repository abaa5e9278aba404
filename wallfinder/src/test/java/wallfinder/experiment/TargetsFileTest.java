package wallfinder.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TargetsFileTest {
    private static final String URL = "http://h:8080/base";

    @TempDir private Path folder;

    private Targets read(String text) throws IOException {
        return TargetsFile.read(Files.writeString(folder.resolve("t.txt"), text), URL);
    }

    @Test
    void a_target_has_a_method_a_path_headers_a_body_and_a_weight() throws IOException {
        Files.writeString(folder.resolve("order.json"), "{}");
        Targets targets =
                read(
                        """
                        # what a shop is asked
                        8 GET /items/{random:1-9}?all
                        Accept: application/json
                        GET http://H:8080/#top

                        PUT /items/{counter}
                        X-A:b
                        > {"id": {counter},
                        >  "n": 1}
                        POST /orders
                        @order.json
                        OPTIONS *
                        """);
        assertThat(targets.url()).isEqualTo(URL);
        assertThat(targets.requests())
                .containsExactly(
                        new RequestSpec(
                                "GET",
                                "/items/{random:1-9}?all",
                                List.of(new Header("Accept", "application/json")),
                                null,
                                8),
                        Gets.request("/"),
                        new RequestSpec(
                                "PUT",
                                "/items/{counter}",
                                List.of(new Header("X-A", "b")),
                                new Body.Text("{\"id\": {counter},\n \"n\": 1}"),
                                1),
                        new RequestSpec(
                                "POST",
                                "/orders",
                                List.of(),
                                new Body.File(folder.resolve("order.json")),
                                1),
                        new RequestSpec("OPTIONS", "*", List.of(), null, 1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET http://other:8080/    | 2 | names another host, http://other:8080",
                "GET https://h:8080/       | 2 | names another host, https://h:8080",
                "GET http://h/             | 2 | names another host, http://h",
                "GET items                 | 2 | neither a path nor a URL",
                "GET                       | 2 | neither a target nor a header",
                "G(T /                     | 2 | not a token",
                "0 GET /                   | 2 | a weight is at least 1",
                "9999999 GET /             | 2 | a weight is at least 1",
                "GET /{countr}             | 2 | there is no variable 'countr'",
                "GET /a b                  | 2 | it contains a space",
                "Accept: text/plain        | 2 | belongs to no target",
                "@nothing.json             | 2 | belongs to no target",
                "GET /;@nothing.json       | 3 | there is no such file",
                "GET /;> a;@t.txt          | 4 | two bodies",
                "GET /;> a;X: y            | 4 | after the body",
                "GET /;X: {rndom:1-2}      | 2 | there is no variable 'rndom'",
            })
    void an_error_names_its_line(String lines, int line, String why) {
        assertThatThrownBy(() -> read("# first\n" + lines.replace(';', '\n') + "\n"))
                .isInstanceOfSatisfying(
                        UsageException.class,
                        e -> {
                            assertThat(e.what())
                                    .isEqualTo(folder.resolve("t.txt") + ", line " + line);
                            assertThat(e.why()).contains(why);
                            assertThat(e.todo()).isNotBlank();
                        });
    }

    @Test
    void the_first_target_may_set_the_host_of_all() throws IOException {
        Path file = Files.writeString(folder.resolve("u.txt"), "GET http://a:1/x\nGET /y\n");
        assertThat(TargetsFile.read(file, null).url()).isEqualTo("http://a:1/x");
        Path nowhere = Files.writeString(folder.resolve("v.txt"), "GET /y\n");
        assertThatThrownBy(() -> TargetsFile.read(nowhere, null))
                .hasMessageContaining("no host is known");
    }

    @Test
    void a_file_without_targets_is_refused() {
        assertThatThrownBy(() -> read("# nothing\n\n")).hasMessageContaining("contains no target");
        assertThatThrownBy(() -> TargetsFile.read(folder.resolve("no.txt"), URL))
                .hasMessageContaining("there is no such file");
    }
}

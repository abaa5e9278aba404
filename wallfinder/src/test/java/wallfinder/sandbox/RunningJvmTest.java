package wallfinder.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import wallfinder.observation.JvmFacts;

/// Inspects real JVMs from outside.
class RunningJvmTest {
    private static final Path HOME = Path.of(System.getProperty("java.home"));

    /// Starts a JVM, waits until it can be read, and ends it.
    private static JvmFacts seen(String... options) throws Exception {
        List<String> words = new ArrayList<>(List.of(HOME.resolve("bin/java").toString()));
        words.addAll(List.of(options));
        words.addAll(List.of("-m", "jdk.httpserver", "-b", "127.0.0.1", "-p", "0"));
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        try {
            Optional<JvmFacts> found = Optional.empty();
            for (int look = 0; look < 200 && !settled(found, options); look++) {
                assertThat(process.isAlive()).isTrue();
                process.waitFor(Duration.ofMillis(20));
                found = RunningJvm.of(List.of(process.pid()));
            }
            return found.orElseThrow();
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private static boolean settled(Optional<JvmFacts> found, String... options) {
        return found.isPresent() && (found.get().usesArchive() || options.length > 0);
    }

    @Test
    void version_vendor_and_archive_of_a_running_jvm_are_found() throws Exception {
        Jvm own = Jvm.at(HOME).orElseThrow();
        JvmFacts facts = seen();
        assertThat(facts.version()).isEqualTo(own.version());
        assertThat(facts.vendor()).isEqualTo(own.vendor());
        assertThat(Path.of(facts.home()).toRealPath()).isEqualTo(own.home());
        assertThat(facts.archives()).isEqualTo(own.archives());
        assertThat(facts.usesArchive()).isEqualTo(!own.archives().isEmpty());
    }

    @Test
    void the_reason_why_a_jvm_uses_no_archive_is_shown() throws Exception {
        JvmFacts facts = seen("-Xshare:off");
        assertThat(facts.options()).containsExactly("-Xshare:off");
        assertThat(facts.usesArchive()).isFalse();
        assertThat(facts.archive()).isEqualTo("no archive: -Xshare:off");
    }

    @Test
    void a_process_without_a_jvm_has_no_facts() throws Exception {
        Process sleep = new ProcessBuilder("sleep", "20").start();
        try {
            assertThat(RunningJvm.of(List.of(sleep.pid()))).isEmpty();
        } finally {
            sleep.destroyForcibly().waitFor();
        }
    }

    @Test
    void the_archive_of_an_unseen_jvm_follows_from_its_files_and_options() {
        JvmFacts facts = new JvmFacts("17", "V", "/opt/17", List.of(), List.of(), null);
        assertThat(facts.archive()).isEqualTo("no archive: it has none");
        JvmFacts own =
                new JvmFacts(
                        "25",
                        "V",
                        "/opt/25",
                        List.of("classes.jsa"),
                        List.of("-XX:AOTCache=app.aot"),
                        List.of("/srv/app.aot"));
        assertThat(own.archive()).isEqualTo("/srv/app.aot");
    }
}

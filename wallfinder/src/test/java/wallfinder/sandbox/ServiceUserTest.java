package wallfinder.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.linux.EnvironmentException;

@Tag("sandbox")
class ServiceUserTest {
    private static final Map<String, String> SUDO =
            Map.of("SUDO_UID", "65534", "SUDO_USER", "nobody");

    @TempDir Path folder;

    /// Prints as whom services run that name no user, root and nobody, and with which capabilities.
    static final class Probe {
        public static void main(String[] arguments) throws Exception {
            for (String asked : new String[] {null, "root", "nobody"}) {
                System.out.println(asked + ": " + outcome(asked));
            }
        }

        private static String outcome(@Nullable String asked) throws Exception {
            try {
                ServiceUser user = ServiceUser.of(asked, true, SUDO);
                List<String> words = new ArrayList<>(user.words());
                words.addAll(List.of("grep", "CapEff", "/proc/self/status"));
                Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
                return user.text() + ", " + process.inputReader().readLine();
            } catch (EnvironmentException e) {
                return e.why();
            }
        }
    }

    /// The start script makes such a namespace for a user without root.
    @Test
    void root_of_a_namespace_with_one_user_is_only_that_user() throws Exception {
        Path output = folder.resolve("probe.out");
        Process process = JavaChild.start(Probe.class, List.of("unshare", "-Ur"), output);
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(Files.readAllLines(output))
                .containsExactly(
                        "null: root, CapEff:\t00000000a00435fb",
                        "root: root, without capabilities, CapEff:\t0000000000000000",
                        "nobody: only root can start a program of another user");
    }

    /// Some versions of setpriv refuse `-all` on a kernel that is newer.
    @Test
    void each_capability_is_given_up_by_its_number() {
        assertThat(ServiceUser.of("nobody", true, SUDO).words())
                .noneMatch(word -> word.contains("-all"))
                .anyMatch(word -> word.matches("--bounding-set=-cap_0(,-cap_\\d+){37,}"));
    }
}

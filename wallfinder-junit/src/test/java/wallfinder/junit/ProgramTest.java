package wallfinder.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgramTest {
    @TempDir private Path folder;

    @Test
    void the_property_comes_first_then_the_variable_then_the_path() throws Exception {
        Path configured = program("configured");
        Path variable = program("variable");
        Path onPath = program("bin/wallfinder");
        String path = folder.resolve("nothing") + ":" + onPath.getParent();
        Map<String, String> both = Map.of("WALLFINDER", variable.toString(), "PATH", path);
        assertThat(Program.find(name -> Optional.of(configured.toString()), both::get))
                .isEqualTo(configured);
        assertThat(Program.find(name -> Optional.empty(), both::get)).isEqualTo(variable);
        assertThat(Program.find(name -> Optional.empty(), Map.of("PATH", path)::get))
                .isEqualTo(onPath);
    }

    @Test
    void without_a_program_the_error_says_what_to_set() {
        assertThatThrownBy(() -> Program.find(name -> Optional.empty(), Map.of("PATH", "")::get))
                .isInstanceOf(WallfinderException.class)
                .hasMessageContaining("wallfinder.command")
                .hasMessageContaining("WALLFINDER")
                .hasMessageContaining("what to do");
    }

    @Test
    void a_wrong_property_is_an_error_although_the_path_has_the_program() throws Exception {
        Path onPath = program("bin/wallfinder");
        Map<String, String> environment = Map.of("PATH", onPath.getParent().toString());
        assertThatThrownBy(() ->
                        Program.find(
                                name -> Optional.of(folder.resolve("typo").toString()),
                                environment::get))
                .isInstanceOf(WallfinderException.class)
                .hasMessageContaining("typo, which is no executable file");
    }

    private Path program(String name) throws Exception {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.createFile(
                file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    }
}

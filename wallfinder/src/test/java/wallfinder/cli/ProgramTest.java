package wallfinder.cli;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/// Tests of the built program. Each has its own folder and checks that nothing is left behind.
abstract class ProgramTest {
    @TempDir Path folder;
    Program program;
    Path json;

    @BeforeEach
    void a_folder_of_its_own() throws IOException {
        program = new Program(folder);
        json = program.file("run.json");
    }

    @AfterEach
    void nothing_is_left() {
        try {
            program.assertNothingLeft();
        } finally {
            program.end();
        }
    }
}

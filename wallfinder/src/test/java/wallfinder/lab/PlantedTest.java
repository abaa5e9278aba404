package wallfinder.lab;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/// A test with planted walls. Each test method has its own folder and run.
public abstract class PlantedTest {
    public @TempDir Path folder;
    public PlantedRun run;

    @BeforeEach
    void startRun() {
        run = new PlantedRun(folder);
    }

    @AfterEach
    void endRun() {
        run.close();
    }
}

package wallfinder.junit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.platform.engine.OutputDirectoryCreator;
import org.junit.platform.engine.TestDescriptor;

/// Keeps the output of all tests in one folder.
record InFolder(Path folder) implements OutputDirectoryCreator {
    @Override
    public Path getRootDirectory() {
        return folder;
    }

    @Override
    public Path createOutputDirectory(TestDescriptor test) throws IOException {
        return Files.createDirectories(folder.resolve("output"));
    }
}

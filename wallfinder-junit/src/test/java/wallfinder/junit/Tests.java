package wallfinder.junit;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.EventType;
import org.junit.platform.testkit.engine.Events;

/// Runs a test of a class inside a test.
///
/// @param folder for output
record Tests(Class<?> type, Path folder) {
    /// @param configuration names and values in turn
    Events run(String method, String... configuration) {
        EngineTestKit.Builder engine =
                EngineTestKit.engine("junit-jupiter")
                        .enableImplicitConfigurationParameters(true)
                        .outputDirectoryCreator(new InFolder(folder))
                        .selectors(selectMethod(type, method, Wallfinder.class.getName()));
        for (int i = 0; i < configuration.length; i += 2) {
            engine.configurationParameter(configuration[i], configuration[i + 1]);
        }
        return engine.execute().allEvents();
    }

    static TestExecutionResult result(Events events) {
        return events.filter(event -> event.getType() == EventType.FINISHED)
                .filter(event -> event.getTestDescriptor().isTest())
                .findFirst()
                .orElseThrow()
                .getRequiredPayload(TestExecutionResult.class);
    }

    /// A program in the place of Wallfinder.
    String program(String script) throws Exception {
        Path file = folder.resolve("program");
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        return file.toString();
    }
}

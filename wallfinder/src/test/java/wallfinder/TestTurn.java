package wallfinder;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/// Runs test classes once, for `bench/repeat`. Appends a line for each test to a file: its outcome,
/// its name, and why it failed or was skipped, separated by tabs.
final class TestTurn implements TestExecutionListener {
    private final Path file;

    private TestTurn(Path file) {
        this.file = file;
    }

    /// Arguments: the file, tags to leave out (`long`, or an empty word), and the tests:
    /// `wallfinder.lab.PlantedFindTest`, or one of its methods after a `#`.
    public static void main(String[] arguments) {
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request();
        if (!arguments[1].isEmpty()) {
            request.filters(TagFilter.excludeTags(arguments[1]));
        }
        List<String> tests = List.of(arguments).subList(2, arguments.length);
        LauncherDiscoveryRequest built =
                request.selectors(tests.stream().map(TestTurn::selector).toList()).build();
        LauncherFactory.create().execute(built, new TestTurn(Path.of(arguments[0])));
        System.exit(0); // threads that a test left behind must not delay the end
    }

    private static DiscoverySelector selector(String test) {
        return test.contains("#") ? selectMethod(test) : selectClass(test);
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        keep("skipped", test, reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        String why = result.getThrowable().map(String::valueOf).orElse("");
        switch (result.getStatus()) {
            case SUCCESSFUL -> {
                if (test.isTest()) {
                    keep("passed", test, "");
                }
            }
            case ABORTED -> keep("skipped", test, why);
            case FAILED -> keep("failed", test, why);
        }
    }

    private void keep(String outcome, TestIdentifier test, String why) {
        String line = String.join("\t", outcome, name(test), why.replaceAll("\\s+", " "));
        try {
            Files.writeString(file, line + "\n", CREATE, APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String name(TestIdentifier test) {
        return test.getSource()
                .filter(MethodSource.class::isInstance)
                .map(MethodSource.class::cast)
                .map(source -> simple(source.getClassName()) + "." + shown(test, source))
                .orElse(test.getLegacyReportingName());
    }

    /// Each case of a parameterized test has its own name.
    private static String shown(TestIdentifier test, MethodSource source) {
        String name = test.getDisplayName();
        return name.startsWith(source.getMethodName())
                ? source.getMethodName()
                : source.getMethodName() + " " + name;
    }

    private static String simple(String className) {
        return className.substring(className.lastIndexOf('.') + 1);
    }
}

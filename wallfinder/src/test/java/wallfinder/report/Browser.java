package wallfinder.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Chromium without a window.
public final class Browser {
    private static final int SECONDS_MAX = 120;

    private Browser() {}

    /// What a page has become when it and its scripts have nothing more to do.
    ///
    /// @param folder for the browser's files
    public static String dom(URI page, Path folder) throws IOException, InterruptedException {
        return dom(page, Scheme.LIGHT, folder);
    }

    /// The colours that the user prefers, with Chromium's number for them.
    enum Scheme {
        DARK,
        LIGHT
    }

    @SuppressWarnings("EnumOrdinal") // Chromium's numbers
    static String dom(URI page, Scheme scheme, Path folder)
            throws IOException, InterruptedException {
        Path browser = assumed();
        Path dom = folder.resolve("dom.html");
        Process process =
                new ProcessBuilder(
                                browser.toString(),
                                "--headless",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--disable-quic",
                                "--no-first-run",
                                "--disable-background-networking",
                                "--disable-component-update",
                                "--disable-sync",
                                "--user-data-dir=" + Files.createTempDirectory(folder, "profile"),
                                "--blink-settings=preferredColorScheme=" + scheme.ordinal(),
                                "--virtual-time-budget=60000",
                                "--dump-dom",
                                page.toString())
                        .redirectOutput(dom.toFile())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try {
            assertThat(process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        return Files.readString(dom);
    }

    /// The program. A test without it is skipped.
    public static Path assumed() {
        Optional<Path> browser = find();
        assumeTrue(browser.isPresent(), "SKIPPED: no chromium, so no page was looked at");
        return browser.orElseThrow();
    }

    private static Optional<Path> find() {
        return Stream.of("chromium", "chromium-browser", "google-chrome")
                .flatMap(name ->
                        Stream.of(System.getenv("PATH").split(":"))
                                .map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }
}

package wallfinder.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// The built program as its own process in a temporary folder. For root it also gets a private
/// `/run`, so that it does not wait for other runs on this machine.
final class Program {
    static final Path ROOT =
            Path.of(System.getProperty("project.root", "..")).toAbsolutePath().normalize();
    static final boolean AS_ROOT = "root".equals(System.getProperty("user.name"));

    /// After this time the program gives up an orderly end. A program that takes longer is stuck.
    private static final Duration GIVEN_UP_AFTER = Duration.ofSeconds(30);

    static final Duration BOUND = Duration.ofSeconds(160);

    private static final int ATTEMPTS_MAX = 3;

    private static final String MARK = "WALLFINDER_TEST_MARK";
    private static final String OWN_RUN = "mount --bind \"$0\" /run && exec \"$@\"";

    private final Path folder;
    private final Path run;
    private final String mark = UUID.randomUUID().toString();
    private final List<String> before = new ArrayList<>();
    private final List<Process> started = new ArrayList<>();
    private Path home = ROOT;

    /// @param folder a temporary folder, which becomes writable for all users
    Program(Path folder) throws IOException {
        this.folder = folder;
        this.run = Files.createDirectories(folder.resolve("run"));
        Files.createDirectories(folder.resolve("classes/wallfinder/cli"));
        try (var in = TinyServer.class.getResourceAsStream("TinyServer.class")) {
            Files.copy(in, folder.resolve("classes/wallfinder/cli/TinyServer.class"));
        }
        open(folder);
        open(run);
    }

    static void open(Path folder) throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    /// Puts a command in front of the program, such as `setpriv --reuid 65534`.
    Program under(String... words) {
        before.addAll(List.of(words));
        return this;
    }

    /// Takes away what [#under] put in front.
    void directly() {
        before.clear();
    }

    /// Sets the folder in which the program is installed.
    Program from(Path home) {
        this.home = home;
        return this;
    }

    Path file(String name) {
        return folder.resolve(name);
    }

    /// Writes an experiment with one service, a [TinyServer].
    ///
    /// @param arguments of the server
    /// @param more lines of the service
    Path experiment(int port, String arguments, String more) throws IOException {
        return Files.writeString(
                file("tiny.yaml"),
                """
                name: tiny
                services:
                  web:
                    command: "{jvm}/bin/java -Xmx32m -cp %s wallfinder.cli.TinyServer %s"
                    ready: tcp://{server}:%d
                %sload: { url: "http://{server}:%d/", connections: 1, duration: 200ms, warmup: 0s }
                """
                        .formatted(file("classes"), arguments, port, more.indent(4), port));
    }

    Path experiment(String more) throws IOException {
        return experiment(8080, "8080", more);
    }

    Started start(String... arguments) throws IOException {
        return started(java(), arguments);
    }

    /// For a test that talks with the program over pipes.
    ProcessBuilder builder(String... arguments) {
        return builder(java(), arguments);
    }

    private List<String> java() {
        List<String> program = new ArrayList<>();
        program.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
        program.add("--enable-native-access=wallfinder,org.jline.terminal.ffm");
        program.add("-XX:TieredStopAtLevel=1");
        program.addAll(List.of("-XX:+UseSerialGC", "-Dwallfinder.home=" + home));
        program.addAll(List.of("-p", home.resolve("wallfinder/target/modules").toString()));
        program.addAll(List.of("-m", "wallfinder/wallfinder.cli.Main"));
        return program;
    }

    /// Starts the program by its script.
    Started startByScript(String... arguments) throws IOException {
        return started(List.of(home.resolve("bin/wallfinder").toString()), arguments);
    }

    private Started started(List<String> program, String... arguments) throws IOException {
        Path out = Files.createTempFile(folder, "out", ".txt");
        Path err = Files.createTempFile(folder, "err", ".txt");
        ProcessBuilder builder = builder(program, arguments);
        builder.redirectOutput(out.toFile()).redirectError(err.toFile());
        Process process = builder.start();
        started.add(process);
        return new Started(process, out, err);
    }

    private ProcessBuilder builder(List<String> program, String... arguments) {
        assertThat(home.resolve("wallfinder/target/modules")).as("built").isNotEmptyDirectory();
        List<String> words = new ArrayList<>();
        if (AS_ROOT) {
            words.addAll(List.of("unshare", "--mount", "--propagation", "private"));
            words.addAll(List.of("sh", "-c", OWN_RUN, run.toString()));
        }
        words.addAll(before);
        words.addAll(program);
        words.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(words).directory(folder.toFile());
        builder.environment().put(MARK, mark);
        builder.environment().put("XDG_RUNTIME_DIR", run.toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("HOME", folder.toString());
        return builder;
    }

    Ended run(String... arguments) throws Exception {
        return start(arguments).end();
    }

    /// A running program.
    record Started(Process process, Path out, Path err) {
        /// Waits until the program has printed this text.
        Started awaitOutput(String text) {
            await(() -> output().contains(text) || !process.isAlive(), this::output);
            assertThat(output()).contains(text);
            return this;
        }

        String output() {
            return read(out) + read(err);
        }

        Ended end() throws Exception {
            return end(BOUND);
        }

        /// Waits for the end, for less time than the program needs to give up.
        Ended endsAtOnce() throws Exception {
            return end(GIVEN_UP_AFTER.minusSeconds(10));
        }

        private Ended end(Duration bound) throws Exception {
            boolean ended = process.waitFor(bound);
            if (!ended) {
                // Its private /run goes with the test, so no later run could clean up after it.
                process.destroy();
                process.waitFor(GIVEN_UP_AFTER);
            }
            process.destroyForcibly().waitFor();
            assertThat(ended).as("it ended in time, with this output:\n%s", output()).isTrue();
            return new Ended(process.exitValue(), read(out), read(err));
        }

        Ended signalled(String signal) throws Exception {
            return signalled(signal, Long.toString(process.pid()));
        }

        /// @param whom as `kill` takes it
        Ended signalled(String signal, String... whom) throws Exception {
            List<String> kill = new ArrayList<>(List.of("kill", "-s", signal));
            kill.addAll(List.of(whom));
            assertThat(new ProcessBuilder(kill).start().waitFor()).isZero();
            return endsAtOnce();
        }
    }

    /// The exit code and the output of a finished program.
    record Ended(int code, String out, String err) {
        /// Checks that the program failed with one error in three parts and printed nothing else.
        ///
        /// @param parts texts in the error
        Ended failed(int code, String... parts) {
            String error = err.substring(Math.max(0, err.indexOf("wallfinder: ")));
            assertThat(error)
                    .startsWith("wallfinder: ")
                    .containsSubsequence("\n  why: ", "\n  what to do: ");
            assertThat(error.split("wallfinder: ", -1)).as(error).hasSize(2);
            assertThat(error)
                    .contains(parts)
                    .doesNotContain("\tat wallfinder", "Exception in thread");
            assertThat(out).isEmpty();
            assertThat(this.code).as(err).isEqualTo(code);
            return this;
        }

        Ended done(int code) {
            assertThat(this.code).as(err + out).isEqualTo(code);
            return this;
        }

        /// Checks that the program measured to its end. On a busy host the result may be invalid
        /// (exit code 4); tests of other things accept that, and [#judged] repeats.
        Ended measured() {
            assertThat(this.code).as(err + out).isIn(ExitCode.DONE, ExitCode.INVALID);
            return this;
        }

        /// For a test of the verdict. Measures again while the generator gets too little CPU for
        /// one, and skips the rest of the test if it never gets enough.
        Ended judged(Callable<Ended> again) throws Exception {
            Ended last = this;
            for (int attempt = 2;
                    last.code == ExitCode.INVALID && attempt <= ATTEMPTS_MAX;
                    attempt++) {
                last = again.call();
            }
            assumeTrue(last.code != ExitCode.INVALID, "the generator never got enough CPU");
            return last;
        }
    }

    /// Checks that no process, lock file or cgroup is left. The kernel may take a moment to end
    /// them.
    void assertNothingLeft() {
        await(() -> left().isEmpty(), () -> left().toString());
    }

    /// Ends what a failed test has left running.
    void end() {
        started.forEach(Process::destroy);
    }

    /// Checks that no process of this test is alive.
    void assertNothingRuns() {
        await(() -> processes().findAny().isEmpty(), () -> processes().toList().toString());
    }

    /// The names of the runs' folders.
    List<String> runs() throws IOException {
        Path runs = file("runs");
        try (Stream<Path> all = Files.isDirectory(runs) ? Files.list(runs) : Stream.of()) {
            return all.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    /// The text of all files with this name below a folder.
    String text(String under, String name) {
        try (Stream<Path> all = Files.walk(file(under))) {
            return all.filter(path -> path.endsWith(name)).map(Program::read).collect(joining());
        } catch (IOException e) {
            return "";
        }
    }

    /// The programs of this name that run for this test, however they were started.
    List<ProcessHandle> running(String name) {
        return processes()
                .filter(process -> read(process.resolve("comm")).strip().equals(name))
                .flatMap(process ->
                        ProcessHandle.of(Long.parseLong(process.getFileName().toString())).stream())
                .toList();
    }

    private Stream<Path> processes() {
        return children(Path.of("/proc"), "[0-9]*").stream()
                .filter(process -> read(process.resolve("environ")).contains(MARK + "=" + mark));
    }

    private List<String> left() {
        List<String> left = new ArrayList<>();
        processes()
                .map(process -> process + " " + read(process.resolve("cmdline")).replace('\0', ' '))
                .forEach(left::add);
        for (Path tree : children(Path.of("/sys/fs/cgroup"), "*")) {
            started.forEach(process ->
                    children(tree, "wallfinder-*-" + process.pid())
                            .forEach(made -> left.add("" + made)));
        }
        children(run.resolve("wallfinder"), "*").forEach(file -> left.add(file.toString()));
        return left;
    }

    /// The violations of the published schema in a `run.json`.
    static List<Error> schemaErrors(Path json) throws IOException {
        return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(Files.readString(ROOT.resolve("docs/run.schema.json")), InputFormat.JSON)
                .validate(Files.readString(json), InputFormat.JSON);
    }

    /// Waits until a fact holds, and fails if it does not in time.
    static void await(BooleanSupplier fact) {
        await(fact, () -> "the fact");
    }

    /// @param seen describes what there is instead
    static void await(BooleanSupplier fact, Supplier<String> seen) {
        long end = System.nanoTime() + BOUND.toNanos();
        boolean holds = fact.getAsBoolean();
        while (!holds && System.nanoTime() < end) {
            LockSupport.parkNanos(10_000_000);
            holds = fact.getAsBoolean();
        }
        assertThat(holds).as(seen).isTrue();
    }

    static List<Path> children(Path folder, String glob) {
        List<Path> children = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder, glob)) {
            stream.forEach(children::add);
        } catch (IOException e) {
            return List.of();
        }
        return children;
    }

    private static String read(Path file) {
        try (var in = new java.io.FileInputStream(file.toFile())) {
            return new String(in.readAllBytes(), UTF_8);
        } catch (java.io.FileNotFoundException e) {
            return "";
        } catch (IOException e) {
            if (file.startsWith("/proc")) {
                return ""; // it has ended
            }
            throw new UncheckedIOException(e);
        }
    }
}

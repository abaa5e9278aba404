package wallfinder.services.echo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The jar as a process. Its output and errors are one stream of lines.
final class Program implements AutoCloseable {
    private static final long LINE_SECONDS_MAX = 30;

    private final Process process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final Thread reader;

    private Program(Process process) {
        this.process = process;
        reader = Thread.ofPlatform().daemon().start(this::read);
    }

    private void read() {
        try {
            process.inputReader(UTF_8).lines().forEach(lines::add);
        } catch (UncheckedIOException e) {
            // The test has ended and closed the stream.
        }
    }

    static Program started(String... arguments) throws IOException {
        return started(List.of(), arguments);
    }

    /// @param before a command that sets limits and runs the program
    static Program started(List<String> before, String... arguments) throws IOException {
        return started(before, List.of("-jar", jar()), arguments);
    }

    /// Starts the class instead of the jar, so that the manifest opens no packages.
    static Program startedAsClass(String... arguments) throws IOException {
        return started(List.of(), List.of("-cp", jar(), Echo.class.getName()), arguments);
    }

    private static Program started(List<String> before, List<String> program, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(before);
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(List.of("-Xmx64m", "-XX:TieredStopAtLevel=1"));
        command.addAll(program);
        command.addAll(List.of(arguments));
        return new Program(new ProcessBuilder(command).redirectErrorStream(true).start());
    }

    private static String jar() {
        return System.getProperty("service.jar");
    }

    /// Waits for the next line that contains this pattern.
    Matcher line(String pattern) throws InterruptedException {
        Pattern wanted = Pattern.compile(pattern);
        List<String> others = new ArrayList<>();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LINE_SECONDS_MAX);
        while (true) {
            String line = lines.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (line == null) {
                throw new AssertionError("no line like " + pattern + " but " + others);
            }
            Matcher found = wanted.matcher(line);
            if (found.find()) {
                return found;
            }
            others.add(line);
        }
    }

    /// Waits for the end of the program, and returns its remaining lines.
    List<String> lastLines() throws InterruptedException {
        if (!process.waitFor(LINE_SECONDS_MAX, TimeUnit.SECONDS)) {
            throw new AssertionError("it does not end");
        }
        reader.join();
        return List.copyOf(lines);
    }

    int status() {
        return process.exitValue();
    }

    /// Process.destroy would close the output before it is read; the handle does not.
    void terminate() {
        process.toHandle().destroy();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}

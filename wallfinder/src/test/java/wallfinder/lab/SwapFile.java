package wallfinder.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Swap for services with a limit `swap`, in a file on the disk of the temporary folder. The host
/// has it until [#close], or until this JVM ends. A JVM that was killed leaves its file, which the
/// next one removes.
final class SwapFile implements AutoCloseable {
    /// An experiment with this key needs swap.
    static final String KEY = " swap: ";

    private static final String PREFIX = "wallfinder-test-swap-";
    private static final int MEGABYTES = 256;
    private static final long SECONDS_MAX = 60;
    private static final Path IN_USE = Path.of("/proc/swaps");
    private static final Path FOLDER = Path.of(System.getProperty("java.io.tmpdir"));

    private final Path file;
    private final Thread atExit = new Thread(this::remove);

    SwapFile() throws IOException {
        this(MEGABYTES);
    }

    private SwapFile(int megabytes) throws IOException {
        removeLeftovers();
        file = FOLDER.resolve(PREFIX + ProcessHandle.current().pid() + "-" + UUID.randomUUID());
        Runtime.getRuntime().addShutdownHook(atExit);
        try (var made = Files.newOutputStream(file)) { // a swap file has no holes
            byte[] megabyte = new byte[1 << 20];
            for (int i = 0; i < megabytes; i++) {
                made.write(megabyte);
            }
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        if (!succeeds("mkswap", file) || !succeeds("swapon", file)) {
            close();
            throw new IOException("no swap in " + file);
        }
    }

    /// Tries it: a container, or a file system such as tmpfs, may not allow it.
    static boolean isPossible() {
        try (SwapFile small = new SwapFile(1)) {
            return Files.readString(IN_USE).contains(small.file.toString());
        } catch (IOException e) {
            return false;
        }
    }

    private static void removeLeftovers() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            files.filter(file -> file.getFileName().toString().startsWith(PREFIX))
                    .filter(file -> ProcessHandle.of(owner(file)).isEmpty())
                    .forEach(SwapFile::remove);
        }
    }

    private static long owner(Path file) {
        String name = file.getFileName().toString().substring(PREFIX.length());
        return Long.parseLong(name.substring(0, name.indexOf('-')));
    }

    @Override
    public void close() {
        remove();
        Runtime.getRuntime().removeShutdownHook(atExit);
    }

    private void remove() {
        remove(file);
    }

    private static synchronized void remove(Path file) {
        try {
            if (Files.readString(IN_USE).contains(file.toString()) && !succeeds("swapoff", file)) {
                throw new IOException("the host still swaps to " + file);
            }
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean succeeds(String program, Path file) throws IOException {
        // These programs are often not on the path.
        String line = "PATH=\"$PATH:/usr/sbin:/sbin\"; exec " + program + " \"$0\" 2>&1";
        Process process =
                new ProcessBuilder(List.of("sh", "-c", line, file.toString()))
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try {
            return process.waitFor(SECONDS_MAX, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            process.destroyForcibly();
        }
    }
}

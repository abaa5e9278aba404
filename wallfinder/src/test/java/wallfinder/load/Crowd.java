package wallfinder.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/// `bench/crowd.c`, a server with several processes for more connections than one may hold.
final class Crowd implements AutoCloseable {
    private static final Path ROOT =
            Path.of(System.getProperty("project.root", "..")).toAbsolutePath().normalize();

    private final Process process;
    private final int port;

    /// The counts since the start.
    record Counts(long connections, long requests) {}

    private Crowd(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /// Compiles and starts a server.
    ///
    /// @param folder for the program
    static Crowd start(Path folder, int workers) throws IOException {
        Path compiler = Path.of("/usr/bin/cc");
        if (!Files.isExecutable(compiler)) {
            throw new IOException("no C compiler here");
        }
        Path program = folder.resolve("crowd");
        Process compiled =
                new ProcessBuilder(
                                compiler.toString(),
                                "-O2",
                                "-o",
                                program.toString(),
                                ROOT.resolve("bench/crowd.c").toString())
                        .inheritIO()
                        .start();
        try {
            if (!compiled.waitFor(60, TimeUnit.SECONDS) || compiled.exitValue() != 0) {
                throw new IOException("bench/crowd.c does not compile");
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        Process process =
                new ProcessBuilder(program.toString(), Integer.toString(workers))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        String line = process.inputReader(StandardCharsets.US_ASCII).readLine();
        if (line == null) {
            throw new IOException("bench/crowd.c does not start");
        }
        return new Crowd(process, Integer.parseInt(line));
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /// The counts include the connection that asks for them.
    Counts counts() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream()
                    .write("GET /count HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            StringBuilder answer = new StringBuilder();
            int c;
            while (answer.indexOf("\r\n\r\n") < 0
                    || answer.charAt(answer.length() - 1) != '\n'
                    || answer.toString().endsWith("\r\n\r\n")) {
                c = socket.getInputStream().read();
                if (c < 0) {
                    throw new IOException("it closed");
                }
                answer.append((char) c);
            }
            String[] words = answer.substring(answer.indexOf("\r\n\r\n") + 4).strip().split(" ");
            return new Counts(Long.parseLong(words[0]), Long.parseLong(words[1]));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

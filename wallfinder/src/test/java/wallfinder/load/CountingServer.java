package wallfinder.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Assumptions;

/// A third-party web server with its own counts.
interface CountingServer extends AutoCloseable {
    long UNKNOWN = -1;

    /// @param connections accepted
    /// @param requests answered
    /// @param bodyBytes received in bodies, or unknown
    /// @param sentBytes heads included, or unknown
    record Counts(long connections, long requests, long bodyBytes, long sentBytes) {}

    /// The TLS identity of a server.
    ///
    /// @param certificate a PEM file, including that of the authority
    /// @param key a PEM file
    /// @param context of both
    record Identity(Path certificate, Path key, SSLContext context) {}

    InetSocketAddress address();

    /// Stops the server and returns its counts. No request is in progress.
    Counts stop() throws Exception;

    @Override
    void close();

    /// The kinds of servers.
    enum Kind {
        NGINX,
        JETTY,
        NODE,
        GO;

        /// Starts a server, or skips the test if its program is not installed.
        ///
        /// @param folder empty
        /// @param shared where a compiled program is kept
        /// @param identity null: HTTP without TLS
        CountingServer start(Path folder, Path shared, Identity identity) throws Exception {
            return switch (this) {
                case NGINX -> {
                    require("nginx");
                    yield CountingNginx.start(folder, identity);
                }
                case JETTY -> new CountingJetty(identity);
                case NODE -> {
                    require("node");
                    yield CountingProgram.start(identity, "node", "" + source("server.js", folder));
                }
                case GO -> {
                    require("go");
                    yield CountingProgram.start(identity, "" + compiled(shared));
                }
            };
        }

        private static void require(String program) {
            String path = System.getenv("PATH") + ":/usr/sbin:/sbin";
            boolean there =
                    Stream.of(path.split(":"))
                            .anyMatch(f -> Files.isExecutable(Path.of(f, program)));
            Assumptions.assumeTrue(there, program + " is not installed");
        }

        private static Path source(String name, Path folder) throws IOException {
            Path file = folder.resolve(name);
            try (var in = CountingServer.class.getResourceAsStream(name)) {
                Files.copy(in, file);
            }
            return file;
        }

        /// Compiles once, into the folder of all tests.
        private static synchronized Path compiled(Path folder) throws Exception {
            Path program = folder.resolve("server");
            if (Files.exists(program)) {
                return program;
            }
            ProcessBuilder builder =
                    new ProcessBuilder(
                            "go",
                            "build",
                            "-o",
                            program.toString(),
                            source("server.go", folder).toString());
            builder.environment().put("CGO_ENABLED", "0");
            builder.environment().put("GOTOOLCHAIN", "local");
            Process compiler = builder.redirectErrorStream(true).start();
            String said = new String(compiler.getInputStream().readAllBytes());
            if (compiler.waitFor() != 0) {
                throw new IOException("go build: " + said);
            }
            return program;
        }
    }

    /// A program that prints its port, and its counts at the end of its input.
    record CountingProgram(Process process, BufferedReader out, int port)
            implements CountingServer {
        static CountingProgram start(Identity identity, String... words) throws IOException {
            List<String> command = new ArrayList<>(List.of(words));
            if (identity != null) {
                command.add(identity.certificate().toString());
                command.add(identity.key().toString());
            }
            Process process =
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            BufferedReader out = process.inputReader();
            return new CountingProgram(process, out, Integer.parseInt(out.readLine()));
        }

        @Override
        public InetSocketAddress address() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        }

        @Override
        public Counts stop() throws IOException {
            process.outputWriter().close();
            long[] counts =
                    Stream.of(out.readLine().split(" ")).mapToLong(Long::parseLong).toArray();
            return new Counts(counts[0], counts[1], counts[2], counts[3]);
        }

        @Override
        public void close() {
            process.destroy();
            try {
                if (!process.waitFor(10, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /// Reads lines of numbers.
    static List<long[]> numbers(Path file) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.map(
                            line -> Stream.of(line.split(" ")).mapToLong(Long::parseLong).toArray())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

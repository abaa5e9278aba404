package wallfinder.profiling;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/// A program for any JVM from 11 on that does four kinds of work, each in a package of its own, and
/// measures the CPU time of each by its thread's clock. It prints `warm` after a while, and at the
/// end the shares since then.
public final class KnownCosts {
    private static final String MAIN =
            """
            package costs;
            import java.lang.management.ManagementFactory;
            import java.lang.management.ThreadMXBean;
            public class Main {
                public static void main(String[] arguments) throws Exception {
                    ThreadMXBean clock = ManagementFactory.getThreadMXBean();
                    costs.writes.Work writes = new costs.writes.Work();
                    long[] spent = new long[4];
                    long warm = System.nanoTime() + 4_000_000_000L;
                    boolean counts = false;
                    while (System.in.available() == 0) {
                        long start = clock.getCurrentThreadCpuTime();
                        costs.regex.Work.run();
                        long regex = clock.getCurrentThreadCpuTime();
                        costs.hash.Work.run();
                        long hash = clock.getCurrentThreadCpuTime();
                        costs.text.Work.run();
                        long text = clock.getCurrentThreadCpuTime();
                        writes.run();
                        long end = clock.getCurrentThreadCpuTime();
                        if (counts) {
                            spent[0] += regex - start;
                            spent[1] += hash - regex;
                            spent[2] += text - hash;
                            spent[3] += end - text;
                        } else if (System.nanoTime() - warm > 0) {
                            counts = true;
                            System.out.println("warm");
                        }
                    }
                    double all = spent[0] + spent[1] + spent[2] + spent[3];
                    for (long part : spent) {
                        System.out.println(part / all);
                    }
                }
            }
            """;

    private static final String REGEX =
            """
            package costs.regex;
            import java.util.regex.Matcher;
            import java.util.regex.Pattern;
            public class Work {
                static final Pattern PATTERN = Pattern.compile("(a+b?)+c|[x-z]{3,}[0-9]+");
                static final String TEXT = "aaabaaabxyz123 hello world aaaabbbc".repeat(20);
                public static int found;
                public static void run() {
                    for (int i = 0; i < 10; i++) {
                        Matcher matcher = PATTERN.matcher(TEXT);
                        while (matcher.find()) {
                            found++;
                        }
                    }
                }
            }
            """;

    private static final String HASH =
            """
            package costs.hash;
            import java.security.MessageDigest;
            public class Work {
                static final byte[] DATA = new byte[4096];
                public static int sum;
                public static void run() throws Exception {
                    MessageDigest digest = MessageDigest.getInstance("SHA-256");
                    for (int i = 0; i < 100; i++) {
                        sum += digest.digest(DATA)[0];
                    }
                }
            }
            """;

    private static final String TEXT =
            """
            package costs.text;
            public class Work {
                public static int length;
                public static void run() {
                    for (int i = 0; i < 300; i++) {
                        StringBuilder json = new StringBuilder("{");
                        for (int j = 0; j < 50; j++) {
                            json.append('"').append("key").append(j).append(j * 17).append(',');
                        }
                        length += json.append('}').toString().length();
                    }
                }
            }
            """;

    private static final String WRITES =
            """
            package costs.writes;
            import java.net.InetAddress;
            import java.net.InetSocketAddress;
            import java.nio.ByteBuffer;
            import java.nio.channels.ServerSocketChannel;
            import java.nio.channels.SocketChannel;
            public class Work {
                final SocketChannel one;
                final SocketChannel other;
                final ByteBuffer small = ByteBuffer.allocateDirect(64);
                final ByteBuffer large = ByteBuffer.allocateDirect(1 << 16);
                public Work() throws Exception {
                    InetAddress loopback = InetAddress.getLoopbackAddress();
                    try (ServerSocketChannel server =
                            ServerSocketChannel.open().bind(new InetSocketAddress(loopback, 0))) {
                        one = SocketChannel.open(server.getLocalAddress());
                        other = server.accept();
                    }
                }
                public void run() throws Exception {
                    for (int i = 0; i < 200; i++) {
                        small.clear();
                        one.write(small);
                    }
                    for (int left = 200 * 64; left > 0; ) {
                        large.clear();
                        left -= other.read(large);
                    }
                }
            }
            """;

    private final Path classes;

    /// Compiles the program.
    KnownCosts(Path folder) throws IOException {
        classes = Files.createDirectories(folder.resolve("classes"));
        compile(
                classes,
                Map.of(
                        "costs/Main", MAIN,
                        "costs/regex/Work", REGEX,
                        "costs/hash/Work", HASH,
                        "costs/text/Work", TEXT,
                        "costs/writes/Work", WRITES));
    }

    /// For each JVM from 11 on, also for one that has no compiler.
    static void compile(Path classes, Map<String, String> texts) {
        compile(11, classes, texts);
    }

    /// A JVM starts a compiled program sooner than one that it has to compile.
    ///
    /// @param release the oldest Java that runs the programs
    /// @param texts by the names of their classes
    public static void compile(int release, Path classes, Map<String, String> texts) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> options =
                List.of("--release", "" + release, "-Xlint:-options", "-d", "" + classes);
        List<SimpleJavaFileObject> sources = new ArrayList<>();
        texts.forEach((name, text) -> sources.add(new Text(name, text)));
        if (!compiler.getTask(null, null, null, options, null, sources).call()) {
            throw new IllegalStateException("the program does not compile");
        }
    }

    private static final class Text extends SimpleJavaFileObject {
        private final String content;

        Text(String name, String content) {
            super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
            this.content = content;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return content;
        }
    }

    /// Starts the program and waits until it is warm.
    Process start(Path home) throws IOException {
        Process process =
                new ProcessBuilder(
                                home.resolve("bin/java").toString(),
                                "-XX:+UseSerialGC",
                                "-cp",
                                classes.toString(),
                                "costs.Main")
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        String line = process.inputReader(StandardCharsets.UTF_8).readLine();
        if (!"warm".equals(line)) {
            process.destroyForcibly();
            throw new IllegalStateException("the program printed " + line);
        }
        return process;
    }

    /// Ends the program.
    ///
    /// @return the share of each kind of work, by the name of its package
    static Map<String, Double> end(Process process) throws IOException {
        process.outputWriter(StandardCharsets.UTF_8).append('\n').close();
        Map<String, Double> shares = new HashMap<>();
        for (String name : List.of("costs.regex", "costs.hash", "costs.text", "costs.writes")) {
            String line = process.inputReader(StandardCharsets.UTF_8).readLine();
            shares.put(name, Double.parseDouble(line));
        }
        return shares;
    }
}

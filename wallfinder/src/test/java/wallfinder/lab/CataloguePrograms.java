package wallfinder.lab;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import wallfinder.sandbox.CpuPlan;
import wallfinder.sandbox.Jvm;

/// What the cases of the catalogue start that has to be made first: `$nginx`, `$go-server`, for a
/// Java that has no compiler `$Name.classes` with the classes of `Name.java`, and `$folder` for the
/// files of one case. Beside the experiment lies `body`, for a request to carry.
final class CataloguePrograms {
    private static final String GO_SERVER = "$go-server";
    private static final String NGINX = "$nginx";
    private static final Pattern CLASSES = Pattern.compile("\\$([A-Za-z]+)\\.classes\\b");
    private static final Pattern JVM = Pattern.compile("\\bjvm: (\\d+)\\b");
    private static final String OLDEST_JAVA = "21"; // of those that a case asks for
    private static final int PAGE_LINES = 500;
    private static final int LARGE_LINES = 20_000;
    private static final int BODY_BYTES = 256 << 10;
    private static final long BUILD_SECONDS_MAX = 300;

    /// The programs that a case may need, by what stands in it.
    private static final Map<String, String> NEEDED =
            Map.of(
                    GO_SERVER,
                    "go",
                    NGINX,
                    "nginx",
                    "python3 ",
                    "python3",
                    "node ",
                    "node",
                    "wrk ",
                    "wrk",
                    "ab ",
                    "ab",
                    "$conntrack.py",
                    "conntrack",
                    "$rules.py",
                    "nft");

    private final Path folder;

    CataloguePrograms(Path folder) {
        this.folder = folder;
    }

    /// The programs that are not there, of those that this case needs.
    static List<String> missing(CatalogueCase planted) {
        Stream<String> programs =
                NEEDED.entrySet().stream()
                        .filter(needed -> planted.yaml().contains(needed.getKey()))
                        .map(Map.Entry::getValue)
                        .filter(program -> !onPath(program));
        Set<Integer> found = Jvm.onThisHost().stream().map(Jvm::major).collect(toSet());
        Stream<String> jvms =
                JVM.matcher(planted.yaml())
                        .results()
                        .map(asked -> Integer.valueOf(asked.group(1)))
                        .filter(major -> !found.contains(major))
                        .map(major -> "Java " + major);
        return Stream.concat(programs, jvms).distinct().sorted().toList();
    }

    private static boolean onPath(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(path -> Files.isExecutable(Path.of(path, program)));
    }

    /// The experiment of a case, with the paths of the programs that were made for it.
    ///
    /// @param own a folder of this case alone
    String made(CatalogueCase planted, Path own) throws IOException, InterruptedException {
        String yaml = planted.yaml();
        writeBody(own);
        if (yaml.contains(NGINX)) {
            configureNginx(own, planted.nginx());
        }
        if (yaml.contains(GO_SERVER)) {
            yaml = yaml.replace(GO_SERVER, goServer().toString());
        }
        yaml =
                CLASSES.matcher(yaml)
                        .replaceAll(found ->
                                Matcher.quoteReplacement(compiled(found.group(1), own).toString()));
        return yaml.replace(NGINX, "nginx -p " + own + " -e error.log -c nginx.conf")
                .replace("$folder", own.toString());
    }

    static void writeBody(Path own) throws IOException {
        Files.write(own.resolve("body"), new byte[BODY_BYTES]);
    }

    /// Beside the configuration lie `page.txt`, a few pages to be compressed, and `large.txt`.
    private static void configureNginx(Path own, List<String> server) throws IOException {
        text(own.resolve("page.txt"), PAGE_LINES);
        text(own.resolve("large.txt"), LARGE_LINES);
        Files.writeString(
                own.resolve("nginx.conf"),
                """
                daemon off;
                user root;
                worker_processes 1;
                pid nginx.pid;
                error_log error.log;
                events { worker_connections 4096; }
                http {
                    client_body_temp_path body;
                    proxy_temp_path proxy;
                    fastcgi_temp_path fastcgi;
                    uwsgi_temp_path uwsgi;
                    scgi_temp_path scgi;
                    keepalive_requests 100000000;
                    access_log off;
                    limit_conn_zone $server_port zone=atonce:1m;
                    limit_req_zone $server_port zone=rate:1m rate=400r/s;
                    server {
                        %s
                    }
                }
                """
                        .formatted(String.join("\n        ", server)));
    }

    private static void text(Path file, int lines) throws IOException {
        Files.writeString(
                file,
                IntStream.range(0, lines)
                        .mapToObj(i -> "line " + i * 7919L + '\n')
                        .collect(joining()));
    }

    private Path goServer() throws IOException, InterruptedException {
        Path program = folder.resolve("go-server");
        if (Files.isExecutable(program)) {
            return program;
        }
        Path log = folder.resolve("go-build.log");
        ProcessBuilder build =
                new ProcessBuilder(
                        "go",
                        "build",
                        "-o",
                        program.toString(),
                        PlantedRun.resource("server.go").toString());
        build.environment().put("GO111MODULE", "off");
        Process process = build.redirectErrorStream(true).redirectOutput(log.toFile()).start();
        if (!process.waitFor(BUILD_SECONDS_MAX, TimeUnit.SECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException("server.go does not compile: " + Files.readString(log));
        }
        return program;
    }

    private static Path compiled(String program, Path own) {
        Path classes = own.resolve("classes");
        int status =
                ToolProvider.findFirst("javac")
                        .orElseThrow()
                        .run(
                                System.out,
                                System.err,
                                "--release",
                                OLDEST_JAVA,
                                "-d",
                                classes.toString(),
                                PlantedRun.resource(program + ".java").toString());
        if (status != 0) {
            throw new IllegalStateException(program + ".java does not compile");
        }
        return classes;
    }

    /// Programs that keep the generator's CPU busy; the kernel ends each after 30 s of CPU time if
    /// nobody else does.
    static List<Process> burners(int count) throws IOException {
        BitSet cpus = CpuPlan.split(1).client();
        List<Process> burners = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            burners.add(
                    new ProcessBuilder(
                                    "taskset",
                                    "-c",
                                    Integer.toString(cpus.nextSetBit(0)),
                                    "sh",
                                    "-c",
                                    "ulimit -t 30; while :; do :; done")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start());
        }
        return burners;
    }
}

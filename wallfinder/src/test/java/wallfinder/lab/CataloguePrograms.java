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
import java.util.stream.IntStream;
import java.util.stream.Stream;
import wallfinder.sandbox.CpuPlan;
import wallfinder.sandbox.Jvm;

/// Makes the programs that the cases of the catalogue start: `$nginx`, `$go-server`, and for a Java
/// without a compiler `$Name.classes`, the classes of `Name.java`. `$folder` is the folder of one
/// case. It contains `body`, the body of a request, and for `https://` a certificate with its key,
/// `tls.crt` and `tls.key`.
final class CataloguePrograms {
    private static final String GO_SERVER = "$go-server";
    private static final String NGINX = "$nginx";
    private static final String HTTPS = "https://";
    private static final Pattern CLASSES = Pattern.compile("\\$([A-Za-z]+)\\.classes\\b");
    private static final Pattern JVM = Pattern.compile("\\bjvm: (\\d+)\\b");
    private static final String OLDEST_JAVA = "21"; // that a case needs
    private static final int PAGE_LINES = 500;
    private static final int LARGE_LINES = 20_000;
    private static final int BODY_BYTES = 256 << 10;
    private static final long BUILD_SECONDS_MAX = 300;

    /// The programs that a case may need, by the text that uses them.
    private static final Map<String, String> NEEDED =
            Map.ofEntries(
                    Map.entry(GO_SERVER, "go"),
                    Map.entry(NGINX, "nginx"),
                    Map.entry("python3 ", "python3"),
                    Map.entry("node ", "node"),
                    Map.entry("wrk ", "wrk"),
                    Map.entry("ab ", "ab"),
                    Map.entry(HTTPS, "openssl"),
                    Map.entry("$conntrack.py", "conntrack"),
                    Map.entry("$rules.py", "nft"),
                    Map.entry("$shape.py", "tc"),
                    Map.entry("$delay.py", "ip"),
                    Map.entry("$loss.py", "nft"));

    private final Path folder;

    CataloguePrograms(Path folder) {
        this.folder = folder;
    }

    /// The programs that this case needs and this host does not have.
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
        boolean disk = planted.yaml().contains(PlantedRun.SLOW_DISK) && !SlowDisk.isPossible();
        Stream<String> cgroups =
                disk ? Stream.of("a cgroup that can slow the disk") : Stream.empty();
        boolean swap = planted.yaml().contains(SwapFile.KEY) && !SwapFile.isPossible();
        Stream<String> swaps = swap ? Stream.of("a swap file") : Stream.empty();
        return Stream.of(programs, jvms, cgroups, swaps)
                .flatMap(missing -> missing)
                .distinct()
                .sorted()
                .toList();
    }

    private static boolean onPath(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(path -> Files.isExecutable(Path.of(path, program)));
    }

    /// Makes the programs of a case, and returns its experiment with their paths.
    ///
    /// @param own the folder of this case
    String made(CatalogueCase planted, Path own) throws IOException, InterruptedException {
        String yaml = planted.yaml();
        writeBody(own);
        if (yaml.contains(HTTPS)) {
            SignedKey.RSA_4096.write(own);
        }
        if (yaml.contains(NGINX)) {
            configureNginx(own, planted.nginx());
        }
        if (yaml.contains(GO_SERVER)) {
            yaml = yaml.replace(GO_SERVER, goServer().toString());
        }
        yaml =
                CLASSES.matcher(yaml)
                        .replaceAll(
                                found -> Matcher.quoteReplacement(compiled(found.group(1), own)));
        return yaml.replace(NGINX, "nginx -p " + own + " -e error.log -c nginx.conf")
                .replace("$folder", own.toString());
    }

    static void writeBody(Path own) throws IOException {
        Files.write(own.resolve("body"), new byte[BODY_BYTES]);
    }

    /// Also writes `page.txt`, a few pages that nginx compresses, and `large.txt`.
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

    /// `server.go`, built.
    Path goServer() throws IOException, InterruptedException {
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

    private static String compiled(String program, Path own) {
        return PlantedRun.compiled(
                        program + ".java", own.resolve("classes"), "--release", OLDEST_JAVA)
                .toString();
    }

    /// Starts programs that keep the generator's CPU busy. The kernel ends each after 30 s of CPU
    /// time at the latest.
    static List<Process> burners(int count, int nice) throws IOException {
        List<String> command = List.of("nice", "-n", Integer.toString(nice));
        return loops(count, command, CpuPlan.split(1).client());
    }

    /// The same on the first CPU of the services. Each has a session of its own, so that with
    /// autogroups each gets as much CPU as a service.
    static List<Process> neighbours(int count) throws IOException {
        return loops(count, List.of("setsid"), CpuPlan.split(1).server());
    }

    /// A loop in the shell always wants to run.
    private static List<Process> loops(int count, List<String> command, BitSet cpus)
            throws IOException {
        List<String> all = new ArrayList<>(command);
        all.addAll(List.of("taskset", "-c", Integer.toString(cpus.nextSetBit(0))));
        all.addAll(List.of("sh", "-c", "ulimit -t 30; while :; do :; done"));
        List<Process> loops = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            loops.add(
                    new ProcessBuilder(all)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start());
        }
        return loops;
    }
}

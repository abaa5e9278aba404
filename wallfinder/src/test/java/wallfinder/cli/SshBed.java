package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import wallfinder.Tree;
import wallfinder.remote.Frames;

/// Two hosts, which here are namespaces of this one. The far one has a network, processes, a name,
/// users, home folders and a /tmp of its own, no JVM, and a real sshd. The near one has a network
/// and a home folder of its own, with the keys of its user. A veth pair connects them.
///
/// Everything ends with the processes that this class starts.
final class SshBed implements AutoCloseable {
    static final String FAR = "10.77.0.2";
    static final String NOBODY = "10.77.0.9";
    static final String SERVER = "ssh:far@" + FAR;
    static final int PORT = 8081;

    /// Another account there, with the rights of root.
    static final String ADMIN = SERVER.replace("far@", "admin@");

    /// Wallfinder is copied into it.
    static final String COPIES = "/srv/far/.cache/wallfinder/agents";

    /// With this file, agents start services there.
    static final String ALLOWED = "/srv/far/.config/wallfinder/agents-start-services";

    private static final String AGENT = "wallfinder.cli.Main agent";

    /// Between two looks at the far host.
    private static final long PARK_NANOS = 10_000_000;

    private static final String UID = "4711";
    private static final Path RESOURCES =
            Tree.ROOT.resolve("wallfinder/src/test/resources/wallfinder");

    private final Path folder;
    private final Path farFiles;
    private final List<Process> started = new ArrayList<>();
    private final Process near;
    private final long far;

    /// @param folder a temporary folder
    SshBed(Path folder) throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/sbin/sshd")), "sshd is not installed");
        this.folder = folder;
        this.farFiles = Files.createDirectories(folder.resolve("far"));
        writeFiles();
        Process holder =
                start(
                        "far.log",
                        List.of(
                                "unshare",
                                "--net",
                                "--mount",
                                "--uts",
                                "--pid",
                                "--fork",
                                "--kill-child",
                                "--mount-proc",
                                "sh",
                                RESOURCES.resolve("remote/far-host.sh").toString(),
                                farFiles.toString(),
                                System.getProperty("java.home")));
        near = start("near.log", List.of("unshare", "--net", "--mount", "sh", "-c", nearHost()));
        await("far.log", "started");
        await("near.log", "started");
        far = holder.children().findFirst().orElseThrow().pid();
        connect();
    }

    private Path home() {
        return folder.resolve("home");
    }

    private void writeFiles() throws Exception {
        Path ssh = Files.createDirectories(home().resolve(".ssh"));
        Files.createDirectories(folder.resolve("run"));
        for (Path own : List.of(home(), ssh)) {
            Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwx------"));
        }
        key(ssh.resolve("id_ed25519"));
        key(farFiles.resolve("host_key"));
        Files.copy(ssh.resolve("id_ed25519.pub"), farFiles.resolve("authorized_keys"));
        for (String server : List.of("server.py", "mirror.py", "threads.py", "workers.py")) {
            Files.copy(RESOURCES.resolve("lab").resolve(server), farFiles.resolve(server));
        }
        know(farFiles.resolve("host_key.pub"));
        with(
                "passwd",
                "far:x:%s:%s::/srv/far:/bin/bash\nadmin:x:0:0::/srv/far:/bin/bash"
                        .formatted(UID, UID));
        with("group", "far:x:%s:".formatted(UID));
        with("shadow", "far:*:19000::::::\nadmin:*:19000::::::");
        Files.writeString(
                folder.resolve("passwd"),
                Files.readString(Path.of("/etc/passwd"))
                        .replaceFirst("(?m)^root:.*", "root:x:0:0:root:" + home() + ":/bin/sh"));
        Files.writeString(
                farFiles.resolve("sshd_config"),
                """
                HostKey /run/far/host_key
                AuthorizedKeysFile /run/far/authorized_keys
                UsePAM no
                PasswordAuthentication no
                KbdInteractiveAuthentication no
                PidFile /run/far/sshd.pid
                """);
    }

    /// A file of /etc on the far host: that of this one, and one line.
    private void with(String name, String line) throws IOException {
        Files.writeString(
                farFiles.resolve(name),
                Files.readString(Path.of("/etc", name)).stripTrailing() + "\n" + line + "\n");
    }

    void key(Path file) throws Exception {
        run(List.of("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file.toString()));
    }

    /// Makes this the only key of a host that the near user knows.
    void know(Path publicKey) throws IOException {
        Files.writeString(
                home().resolve(".ssh/known_hosts"), FAR + " " + Files.readString(publicKey));
    }

    void forgetHosts() throws IOException {
        Files.delete(home().resolve(".ssh/known_hosts"));
    }

    void forgetKey() throws IOException {
        Files.move(
                home().resolve(".ssh/id_ed25519"),
                folder.resolve("forgotten"),
                StandardCopyOption.REPLACE_EXISTING);
    }

    /// OpenSSH reads the home folder from the user database, and not from the environment.
    private String nearHost() {
        return "mount --bind %s/passwd /etc/passwd && mount --bind %s/run /run && ip link set lo up"
                        .formatted(folder, folder)
                + " && echo started && exec sleep infinity";
    }

    private void connect() throws Exception {
        nearly("ip link add near type veth peer name far netns " + far);
        nearly("ip address add 10.77.0.1/24 dev near && ip link set near up");
        farther("ip address add %s/24 dev far && ip link set far up".formatted(FAR));
    }

    /// Lets every packet between the two hosts vanish.
    void cut() throws Exception {
        nearly("ip link set near down");
    }

    private void nearly(String commands) throws Exception {
        run(List.of("nsenter", "-t", Long.toString(near.pid()), "-n", "-m", "sh", "-c", commands));
    }

    /// Runs commands as root on the far host.
    ///
    /// @return what they print
    String farther(String commands) throws Exception {
        return run(onFar("sh", "-c", commands));
    }

    private List<String> onFar(String... words) {
        List<String> all = new ArrayList<>(List.of("nsenter", "-t", Long.toString(far)));
        all.addAll(List.of("-n", "-m", "-p", "-u"));
        all.addAll(List.of(words));
        return all;
    }

    /// Puts a file into /run/far on the far host.
    void give(String name, byte[] content) throws Exception {
        Process cat =
                new ProcessBuilder(onFar("sh", "-c", "cat >/run/far/" + name))
                        .redirectErrorStream(true)
                        .start();
        cat.getOutputStream().write(content);
        cat.getOutputStream().close();
        assertThat(cat.waitFor()).isZero();
    }

    /// What an agent of another version says first.
    static byte[] helloOf(String version) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Frames.begin(out);
        Frames.write(out, Map.of("is", "Hello", "protocol", 1, "version", version));
        return out.toByteArray();
    }

    /// Lets agents start services there.
    void allowServices() throws Exception {
        farther("mkdir -p $(dirname %1$s) && touch %1$s".formatted(ALLOWED));
    }

    /// Starts a service on the far host, as the user whom ssh takes.
    void serve(String arguments) throws Exception {
        serveBy("/usr/bin/python3 /run/far/server.py --port %d %s".formatted(PORT, arguments));
    }

    /// Starts a server there that echoes what it gets.
    void serveEchoes() throws Exception {
        serveBy("/usr/bin/python3 /run/far/mirror.py --port %d".formatted(PORT));
    }

    /// The same by any command, which prints `ready`.
    void serveBy(String command) throws Exception {
        String log = "server-%d.log".formatted(started.size());
        List<String> words = new ArrayList<>();
        words.addAll(List.of("setpriv", "--reuid=" + UID, "--regid=" + UID, "--clear-groups"));
        words.addAll(List.of(command.split(" ")));
        start(log, onFar(words.toArray(String[]::new)));
        await(log, "ready");
    }

    /// Waits until the load is there.
    void awaitConnections(int count) throws Exception {
        long end = System.nanoTime() + Program.BOUND.toNanos();
        while (connections() < count) {
            assertThat(System.nanoTime()).as("the load never came").isLessThan(end);
            LockSupport.parkNanos(PARK_NANOS);
        }
    }

    static String url() {
        return "http://%s:%d/".formatted(FAR, PORT);
    }

    /// Lets a program run on the near host.
    Program onNear(Program program) {
        program.directly();
        return program.under(
                "nsenter", "-t", Long.toString(near.pid()), "-n", "-m", "--wdns=" + folder, "--");
    }

    /// The same, and it sees no process of other hosts. If it is killed, its processes are, too.
    Program alone(Program program) {
        return onNear(program)
                .under("unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--");
    }

    /// The processes on the far host with one of these texts in their command line.
    List<String> farProcesses(String... texts) throws Exception {
        String own =
                "for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' <$f 2>/dev/null && echo \" $f\"; done; true";
        return farther(own)
                .lines()
                .filter(line -> Stream.of(texts).anyMatch(line::contains))
                .toList();
    }

    /// Kills the agent on the far host.
    void killAgent() throws Exception {
        assertThat(agents()).hasSize(1);
        killAnAgent();
    }

    /// Kills one of the agents there.
    void killAnAgent() throws Exception {
        String pid = agents().getFirst().replaceAll(".*/proc/(\\d+)/cmdline", "$1");
        farther("kill -9 " + pid);
    }

    /// What ssh and Wallfinder run on the far host.
    private List<String> ours() throws Exception {
        return farProcesses(AGENT, "sshd: far", "sshd: admin", COPIES);
    }

    /// Whatever happens to the load, nothing on the other host outlives it.
    void awaitNothingThere() throws Exception {
        long end = System.nanoTime() + Program.BOUND.toNanos();
        List<String> alive = ours();
        while (!alive.isEmpty() && System.nanoTime() < end) {
            LockSupport.parkNanos(PARK_NANOS);
            alive = ours();
        }
        assertThat(alive).isEmpty();
    }

    /// How many requests the service has got.
    long counted() throws Exception {
        return Long.parseLong(
                farther(
                                "python3 -c 'import urllib.request as u; print(u.urlopen(\"http://127.0.0.1:%d/counted\").read().decode())'"
                                        .formatted(PORT))
                        .strip());
    }

    long connections() throws Exception {
        String established = "ss -Htn state established sport = :%d | wc -l".formatted(PORT);
        return Long.parseLong(farther(established).strip());
    }

    List<String> agents() throws Exception {
        return farProcesses(AGENT);
    }

    private Process start(String log, List<String> words) throws IOException {
        Process process =
                new ProcessBuilder(words)
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve(log).toFile())
                        .start();
        started.add(process);
        return process;
    }

    private void await(String log, String text) throws IOException {
        Path file = folder.resolve(log);
        Program.await(
                () -> read(file).contains(text) || started.stream().anyMatch(p -> !p.isAlive()));
        assertThat(read(file)).contains(text);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }

    private static String run(List<String> words) throws Exception {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String printed = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(words + ": " + printed).isZero();
        return printed;
    }

    @Override
    public void close() throws InterruptedException {
        for (Process process : started.reversed()) {
            process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
        }
    }
}

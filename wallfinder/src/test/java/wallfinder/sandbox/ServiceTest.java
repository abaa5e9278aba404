package wallfinder.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.experiment.Knob;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Readiness;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.UsageException;
import wallfinder.experiment.WallId;
import wallfinder.linux.CgroupDirs;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.KernelFile;
import wallfinder.observation.End;

@Tag("sandbox")
class ServiceTest {
    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final Limits SOME = new Limits(333L, 50L, 64L << 20, 0.5, "0", null, null);

    @TempDir Path folder;
    private RunLock run;
    private Sandbox sandbox;

    @BeforeEach
    void start() {
        run = RunLock.hold(Sandboxes.runId());
        sandbox = Sandbox.open(Sandboxes.PLAIN, run, folder, Sandboxes.sharedCpus());
    }

    @AfterEach
    void end() {
        sandbox.close();
        run.close();
    }

    private Service start(ServiceSpec spec) {
        return Sandboxes.start(sandbox, spec);
    }

    private static ServiceSpec shell(String script, Limits limits, String ready) {
        return Sandboxes.service(
                "shell", "sh -c '" + script + "'", limits, new Readiness.Log(ready));
    }

    @Test
    void a_service_starts_in_its_namespace_with_its_limits_in_force() throws Exception {
        Service service =
                start(
                        shell(
                                "ulimit -n; grep Cpus_allowed_list /proc/self/status; echo up;"
                                        + " sleep 1000",
                                SOME,
                                "up"));
        assertThat(service.lastLines(3)).containsExactly("333", "Cpus_allowed_list:\t0", "up");
        assertThat(Files.readSymbolicLink(Path.of("/proc", "" + service.pid(), "ns/net")))
                .isEqualTo(
                        Files.readSymbolicLink(
                                Path.of("/proc", "" + sandbox.holderTid(End.SERVER), "ns/net")))
                .isNotEqualTo(Files.readSymbolicLink(Path.of("/proc/self/ns/net")));
        CgroupDirs dirs = service.cgroup().orElseThrow();
        assertThat(service.pids()).hasSize(2).contains(service.pid());
        if (dirs.version() == 1) {
            assertThat(KernelFile.read(dirs.memory().resolve("memory.limit_in_bytes")))
                    .isEqualTo("" + (64L << 20));
            assertThat(KernelFile.read(dirs.cpu().resolve("cpu.cfs_quota_us"))).isEqualTo("50000");
        } else {
            assertThat(KernelFile.read(dirs.memory().resolve("memory.max")))
                    .isEqualTo("" + (64L << 20));
            assertThat(KernelFile.read(dirs.cpu().resolve("cpu.max"))).isEqualTo("50000 100000");
        }
        assertThat(KernelFile.read(dirs.pids().resolve("pids.max"))).isEqualTo("50");
    }

    @Test
    void stopping_a_service_ends_its_process_tree_and_removes_its_cgroup() {
        // The grandchild leaves its session and ignores SIGTERM.
        Service service =
                start(
                        shell(
                                "(trap \"\" TERM; setsid sleep 1000 & setsid sleep 1000 & wait) &"
                                        + " echo up; wait",
                                Limits.NONE,
                                "up"));
        assertThat(Wait.until(BOUND, () -> service.pids().size() == 4)).isTrue();
        Set<Long> tree = service.pids();
        CgroupDirs dirs = service.cgroup().orElseThrow();
        service.stop();
        assertThat(service.alive()).isFalse();
        assertThat(tree).noneMatch(LiveProcesses::alive);
        assertThat(dirs.pids()).doesNotExist();
        service.stop();
    }

    @Test
    void a_limit_that_the_kernel_refuses_leaves_no_cgroup() throws Exception {
        long abovePidsMax = 5_000_000; // PID_MAX_LIMIT of include/linux/threads.h is 4,194,304
        Limits limits = new Limits(null, abovePidsMax, null, null, null, null, null);
        assertThatThrownBy(() -> start(shell("echo up; sleep 1000", limits, "up")))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining("a limit of shell cannot be set")
                .hasMessageContaining("5000000 for pids.max");
        assertThat(KillRounds.cgroups(run.runId())).isEmpty();
    }

    @Test
    void the_error_for_a_service_that_ends_at_once_shows_its_last_lines() {
        assertThatThrownBy(() -> start(shell("echo no such database; exit 7", SOME, "up")))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining("exit code 7")
                .hasMessageContaining("no such database");
    }

    @Test
    void a_service_that_never_gets_ready_is_stopped_and_its_last_lines_are_shown() {
        ServiceSpec spec =
                Sandboxes.service(
                        "deaf",
                        "sh -c 'echo still loading; sleep 1000'",
                        Limits.NONE,
                        new Readiness.Url("http://{server}:8080/health"),
                        Duration.ofMillis(300));
        assertThatThrownBy(() -> start(spec))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining("within 0.3 s")
                .hasMessageContaining("refused")
                .hasMessageContaining("still loading");
        assertThat(LiveProcesses.marked(run.runId())).isEmpty();
    }

    @Test
    void the_error_for_a_service_killed_for_memory_names_the_memory_limit() {
        Limits small = new Limits(null, null, 8L << 20, null, null, null, null);
        assertThatThrownBy(() ->
                        start(
                                shell(
                                        "x=$(head -c 100000000 /dev/zero | tr \"\\\\0\" a)",
                                        small,
                                        "up")))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining("memory limit");
    }

    @Test
    void the_error_for_a_missing_program_says_to_install_it() {
        assertThatThrownBy(() ->
                        start(
                                Sandboxes.service(
                                        "none",
                                        "no-such-program",
                                        Limits.NONE,
                                        new Readiness.Log("listening"))))
                .isInstanceOfSatisfying(
                        EnvironmentException.class,
                        e ->
                                assertThat(e.todo())
                                        .startsWith("install the program no-such-program, or"))
                .hasMessageContaining("no-such-program");
    }

    @Test
    void the_error_for_an_unknown_placeholder_names_the_nearest_one() {
        ServiceSpec spec =
                new ServiceSpec(
                        "knobs",
                        "sleep {backlogg}",
                        null,
                        Map.of(),
                        null,
                        null,
                        null,
                        Limits.NONE,
                        new Readiness.Log("x"),
                        ServiceSpec.READY_WITHIN_DEFAULT,
                        Map.of("backlog", new Knob("128", WallId.ACCEPT_QUEUE, null, List.of())));
        assertThatThrownBy(() -> start(spec))
                .isInstanceOfSatisfying(
                        UsageException.class, e -> assertThat(e.todo()).contains("backlog"));
    }

    private static ServiceSpec ofUser(@Nullable String user) {
        return new ServiceSpec(
                "shell",
                "sh -c 'id -u; id -G; grep -E \"CapEff|CapBnd|NoNewPrivs\" /proc/self/status; echo up;"
                        + " exec sleep 1000'",
                null,
                Map.of(),
                null,
                user,
                null,
                SOME,
                new Readiness.Log("up"),
                ServiceSpec.READY_WITHIN_DEFAULT,
                Map.of());
    }

    @Test
    void a_service_runs_as_the_user_of_its_experiment_without_a_capability() throws Exception {
        Service service = start(ofUser("nobody"));
        assertThat(service.lastLines(6))
                .containsExactly(
                        "65534",
                        "65534",
                        "CapEff:\t0000000000000000",
                        "CapBnd:\t0000000000000000",
                        "NoNewPrivs:\t1",
                        "up");
    }

    @Test
    void root_gives_a_service_few_capabilities_unless_the_experiment_names_root() throws Exception {
        String all = capabilities(0xffff_ffff_ffff_ffffL);
        String few = capabilities(0xa004_35fbL); // as ServiceUser lists them, and CAP_NET_ADMIN
        assertThat(start(ofUser(null)).lastLines(4))
                .startsWith("CapEff:\t" + few, "CapBnd:\t" + few, "NoNewPrivs:\t1");
        assertThat(start(ofUser("root")).lastLines(4))
                .startsWith("CapEff:\t" + all)
                .contains("NoNewPrivs:\t0");
    }

    /// Those of a set that this process has itself.
    private static String capabilities(long set) throws IOException {
        String own =
                Files.readAllLines(Path.of("/proc/self/status")).stream()
                        .filter(line -> line.startsWith("CapEff:"))
                        .findFirst()
                        .orElseThrow();
        return "%016x".formatted(Long.parseUnsignedLong(own.split("\t")[1], 16) & set);
    }

    /// Somebody who calls sudo wants to measure, not to run services as root.
    @Test
    void a_service_runs_as_the_user_who_called_sudo() throws Exception {
        Map<String, String> sudo = Map.of("SUDO_UID", "65534", "SUDO_USER", "nobody");
        ServiceUser user = ServiceUser.of(null, true, sudo);
        assertThat(user.text()).isEqualTo("nobody, without capabilities");
        List<String> words = new ArrayList<>(user.words());
        words.addAll(List.of("sh", "-c", "id -u; grep CapBnd /proc/self/status"));
        Process process = new ProcessBuilder(words).start();
        assertThat(process.inputReader().readAllLines())
                .containsExactly("65534", "CapBnd:\t0000000000000000");
        assertThat(ServiceUser.of("root", true, sudo).text()).isEqualTo("root, with all rights");
        assertThat(ServiceUser.of(null, true, Map.of("SUDO_UID", "0")).text())
                .isEqualTo("root, with few capabilities");
    }

    @Test
    void a_service_that_lacks_a_right_says_as_whom_it_ran() {
        assertThatThrownBy(() -> start(shell("mount -t tmpfs none /mnt", Limits.NONE, "up")))
                .isInstanceOfSatisfying(
                        EnvironmentException.class,
                        e -> assertThat(e.why()).contains("it ran as root, with few capabilities"));
    }

    /// Each process starts others as fast as it can. How long the end takes is no fact of the stop:
    /// a thousand busy processes share the CPUs with the one that has to receive the signal.
    @Test
    void a_service_that_forks_all_the_time_is_gone_after_its_stop() throws Exception {
        Path bomb =
                Files.writeString(
                        folder.resolve("bomb.py"),
                        """
                        import os, time
                        print("up", flush=True)
                        while True:
                            try:
                                os.fork()
                            except OSError:
                                time.sleep(0.05)
                        """);
        Service service =
                start(
                        Sandboxes.service(
                                "bomb",
                                "python3 " + bomb,
                                new Limits(null, 1_000L, null, null, null, null, null),
                                new Readiness.Log("up")));
        Path tasks = service.cgroup().orElseThrow().pids().resolve("pids.current");
        assertThat(Wait.until(BOUND, () -> number(tasks) >= 900)).as("it has forked").isTrue();
        service.stop();
        assertThat(tasks).doesNotExist();
    }

    private static long number(Path file) {
        try {
            return Long.parseLong(KernelFile.read(file));
        } catch (IOException e) {
            return 0;
        }
    }

    @Test
    void a_user_that_does_not_exist_is_one_clear_error() {
        assertThatThrownBy(() -> start(ofUser("no-such-user")))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining("no service can run as the user no-such-user")
                .hasMessageContaining("there is no such user");
    }

    @Test
    void a_jvm_answers_http_requests_at_the_address_of_the_server() throws Exception {
        Service service =
                start(
                        Sandboxes.service(
                                "web",
                                "{jvm}/bin/java -m jdk.httpserver -b {server} -p 8080 -d /usr",
                                Limits.NONE,
                                new Readiness.Url("http://{server}:8080/")));
        assertThat(service.alive()).isTrue();
        ServiceSpec client =
                Sandboxes.service(
                        "client",
                        "sh -c 'echo from {client} to {server}'",
                        Limits.NONE,
                        new Readiness.Log(""));
        Service load = sandbox.launch(End.CLIENT, client, Map.of());
        Wait.until(BOUND, () -> !load.alive());
        assertThat(load.exitStatus()).contains(0);
        assertThat(load.lastLines(1)).containsExactly("from 198.19.0.1 to 198.18.0.1");
    }

    @Test
    void more_descriptors_than_this_process_may_give_are_refused() {
        Limits limits = new Limits(2_000_000_000L, null, null, null, null, null, null);
        assertThatThrownBy(() -> start(shell("echo up", limits, "up")))
                .isInstanceOf(EnvironmentException.class);
        assertThat(LiveProcesses.marked(run.runId())).isEmpty();
    }

    @Test
    void a_port_on_which_another_program_listens_is_refused() throws Exception {
        InetAddress address = InetAddress.getByName(Sandboxes.server(sandbox));
        try (ServerSocket other =
                sandbox.inside(End.SERVER, () -> new ServerSocket(8080, 1, address))) {
            ServiceSpec spec =
                    Sandboxes.service(
                            "web",
                            "sleep 1000",
                            Limits.NONE,
                            new Readiness.Url("http://{server}:8080/"));
            assertThatThrownBy(() -> start(spec))
                    .isInstanceOf(EnvironmentException.class)
                    .hasMessageContaining("198.18.0.1:" + other.getLocalPort());
        }
    }

    @Test
    void an_invalid_readiness_url_is_refused_before_anything_starts() {
        for (String url : new String[] {"{server}:8080", "http://", "ftp://a/b", "http://a b/"}) {
            ServiceSpec spec =
                    Sandboxes.service("web", "sleep 1", Limits.NONE, new Readiness.Url(url));
            assertThatThrownBy(() -> start(spec)).isInstanceOf(UsageException.class);
        }
        assertThat(LiveProcesses.marked(run.runId())).isEmpty();
    }

    @Test
    void closing_the_sandbox_stops_its_services() {
        Service first = start(shell("echo up; sleep 1000", Limits.NONE, "up"));
        Service second = start(shell("echo up; sleep 1000", Limits.NONE, "up"));
        sandbox.close();
        assertThat(first.alive()).isFalse();
        assertThat(second.alive()).isFalse();
        sandbox.close();
    }
}

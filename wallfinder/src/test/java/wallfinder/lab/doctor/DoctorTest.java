package wallfinder.lab.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Limit;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Gets;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.SandboxSpec;
import wallfinder.lab.Nginx;
import wallfinder.lab.PlantedRun;
import wallfinder.lab.PlantedTest;
import wallfinder.observation.End;
import wallfinder.sandbox.CpuPlan;
import wallfinder.sandbox.RunLock;
import wallfinder.sandbox.Sandbox;
import wallfinder.sandbox.Sandboxes;
import wallfinder.sandbox.Service;

/// `doctor` reads the limits of services in their own network namespaces and cgroups from outside,
/// as those of a container.
@Tag("sandbox")
class DoctorTest extends PlantedTest {
    private static LoadSpec.Http plan(int connections) {
        return Gets.of("http://127.0.0.1/", connections, true, Duration.ofSeconds(1));
    }

    private static Doctor.Asked asked(long pid, int port, LoadSpec.Http plan, boolean hold) {
        List<InetAddress> anySource = List.of();
        return new Doctor.Asked(
                Doctor.Here.CLIENT,
                pid,
                port,
                plan,
                false,
                hold,
                1,
                true,
                anySource,
                0,
                true,
                false);
    }

    /// Starts the service and asks `doctor` about its process.
    private Doctor.Findings findings(String yaml, int connections) throws Exception {
        Experiment experiment = run.experiment(yaml);
        SandboxSpec spec = experiment.sandbox();
        try (RunLock lock = RunLock.hold(run.context().lock().runId() + "-host");
                Sandbox sandbox = Sandbox.open(spec, lock, folder, CpuPlan.split(1))) {
            Service service = Sandboxes.start(sandbox, experiment.services().getFirst());
            return Doctor.host(asked(service.pid(), 0, plan(connections), false));
        }
    }

    private static Limit limit(Doctor.Findings findings, String wall, String source) {
        return findings.limits().stream()
                .filter(limit -> limit.wall().equals(wall) && limit.end() == End.SERVER)
                .filter(limit -> limit.source().contains(source))
                .findFirst()
                .orElseThrow(() -> new AssertionError(wall + " is not in " + findings));
    }

    @Test
    void all_limits_of_a_contained_service_are_read_from_outside() throws Exception {
        Doctor.Findings findings =
                findings(
                        """
                        services:
                          planted: { command: python3 $server.py --port 8081 --backlog 33,
                            nofile: 99, pids: 50, memory: 200m, cpus: 0.5, ready: { log: ready } }
                        sandbox:
                          server: { net.ipv4.tcp_max_tw_buckets: 777, net.core.somaxconn: 100 }
                        load: { url: "http://{server}:8081/" }
                        """,
                        120);
        Limit queue = limit(findings, "accept-queue", "port 8081");
        assertThat(queue.limit()).isEqualTo(33);
        assertThat(queue.hitAt()).isEqualTo(34);
        Limit descriptors = limit(findings, "file-descriptors", "/limits");
        assertThat(descriptors.limit()).isEqualTo(99);
        assertThat(descriptors.inUse()).isBetween(4.0, 20.0);
        assertThat(descriptors.stops()).isTrue();
        Limit tasks = limit(findings, "thread-limit", "pids.max");
        assertThat(tasks.limit()).isEqualTo(50);
        assertThat(tasks.inUse()).isBetween(1.0, 3.0);
        assertThat(limit(findings, "memory-limit", "memory").limit()).isEqualTo(200 << 20);
        assertThat(limit(findings, "cpu-quota", "cpu").limit()).isEqualTo(0.5);
        assertThat(findings.fits()).isFalse();
        assertThat(findings.limits().getFirst()).isEqualTo(descriptors);
    }

    @Test
    void the_kernel_caps_the_queue_of_a_service_that_asks_for_more() throws Exception {
        Doctor.Findings findings =
                findings(
                        """
                        services:
                          planted: { command: python3 $server.py --port 8081 --backlog 4096,
                            ready: { log: ready } }
                        sandbox: { server: { net.core.somaxconn: 64 } }
                        load: { url: "http://{server}:8081/" }
                        """,
                        10);
        Limit queue = limit(findings, "accept-queue", "port 8081");
        assertThat(queue.limit()).isEqualTo(64);
        assertThat(queue.setBy()).startsWith("net.core.somaxconn");
        assertThat(findings.fits()).isTrue();
    }

    /// With tcp_child_ehash_entries set, a child namespace has its own table of sockets.
    @Test
    void the_socket_table_is_that_of_the_services_namespace() throws Exception {
        Process service =
                new ProcessBuilder(
                                "unshare",
                                "-n",
                                "sh",
                                "-c",
                                "echo 4096 > /proc/sys/net/ipv4/tcp_child_ehash_entries"
                                        + " && exec unshare -n python3 \"$0\" --port 8081",
                                PlantedRun.resource("mirror.py").toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try {
            assertThat(service.inputReader().readLine()).isEqualTo("ready");
            Doctor.Findings findings = Doctor.host(asked(service.pid(), 8081, plan(5_000), true));
            Limit table = limit(findings, "socket-table", "tcp_ehash_entries");
            assertThat(table.limit()).isEqualTo(4_096);
            assertThat(table.fits()).isFalse();
            assertThat(table.stops()).isFalse();
            assertThat(table.note()).contains("1.6 on average").doesNotContain("both");
            Limit watches = limit(findings, "file-descriptors", "max_user_watches");
            assertThat(watches.hitAt()).as("of one user").isEqualTo(watches.limit() / 2);
        } finally {
            service.destroyForcibly().waitFor();
        }
    }

    @Test
    void the_descriptors_of_all_workers_count_together() throws Exception {
        String nginx = Nginx.service(folder, 8081);
        Nginx.edit(folder, "worker_processes 1", "worker_processes 2");
        Doctor.Findings findings =
                findings(
                        """
                        services:
                          planted: { command: "%s", nofile: 300, ready: "http://{server}:8081/" }
                        load: { url: "http://{server}:8081/" }
                        """
                                .formatted(nginx),
                        10);
        Limit descriptors = limit(findings, "file-descriptors", "/limits");
        assertThat(descriptors.limit()).as("300 for each of two workers").isEqualTo(600);
        assertThat(descriptors.inUse()).isBetween(10.0, 60.0);
    }
}

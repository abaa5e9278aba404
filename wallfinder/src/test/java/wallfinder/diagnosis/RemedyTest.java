package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Gets;
import wallfinder.experiment.Knob;
import wallfinder.experiment.Limits;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Readiness;
import wallfinder.experiment.SandboxSpec;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.WallId;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Observation;

class RemedyTest {
    private static final String SOMAXCONN = "net.core.somaxconn";

    private static Experiment experiment(Map<String, Knob> knobs, Limits limits) {
        return experiment(service("users", knobs, limits));
    }

    /// A service without limits.
    static ServiceSpec service(String name, Map<String, Knob> knobs) {
        return service(name, knobs, Limits.NONE);
    }

    static ServiceSpec service(String name, Map<String, Knob> knobs, Limits limits) {
        return new ServiceSpec(
                name,
                "server",
                null,
                Map.of(),
                null,
                null,
                null,
                limits,
                new Readiness.Log("up"),
                ServiceSpec.READY_WITHIN_DEFAULT,
                knobs);
    }

    /// Services of which the first is asked by 256 connections.
    static Experiment experiment(ServiceSpec... services) {
        LoadSpec load =
                Gets.of("http://{server}:8080/", 256, false, Duration.ofSeconds(1))
                        .with(new Arrival.Lockstep());
        return new Experiment(
                "test",
                List.of(services),
                new SandboxSpec(Map.of(), Map.of()),
                load,
                List.of(),
                Experiment.Goal.THROUGHPUT,
                5,
                null,
                "");
    }

    /// The texts of the headline's remedies, for a service with these limits.
    static List<String> texts(Recorded recorded, Limits limits) {
        return texts(recorded, Map.of(), limits);
    }

    static List<String> texts(Recorded recorded, Map<String, Knob> knobs, Limits limits) {
        Judgement.Binds headline = recorded.diagnosed().headline();
        return headline
                .wall()
                .remedies(headline, recorded.observation(), experiment(knobs, limits))
                .stream()
                .map(Remedy::text)
                .toList();
    }

    private static List<Remedy> acceptQueue(Recorded recorded, Knob knob) {
        Observation observation =
                recorded.connections(256)
                        .grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 9)
                        .observation();
        Judgement.Binds binds =
                new Judgement.Binds(new AcceptQueue(), End.SERVER, Harm.THROUGHPUT, List.of());
        return new AcceptQueue()
                .remedies(binds, observation, experiment(Map.of("queueLength", knob), Limits.NONE));
    }

    @Test
    void when_both_bounds_of_the_accept_queue_are_small_one_remedy_raises_both() {
        List<Remedy> remedies =
                acceptQueue(
                        Recorded.healthy()
                                .listener(8080, 129, 128, 9)
                                .serverSysctl(SOMAXCONN, "128"),
                        new Knob("128", WallId.ACCEPT_QUEUE, 65_535L, List.of()));
        assertThat(remedies).hasSize(1);
        assertThat(remedies.getFirst().text())
                .isEqualTo("queueLength 128 -> 4096, net.core.somaxconn 128 -> 4096");
    }

    @Test
    void when_only_the_backlog_is_small_somaxconn_stays() {
        List<Remedy> remedies =
                acceptQueue(
                        Recorded.healthy()
                                .listener(8080, 65, 64, 9)
                                .serverSysctl(SOMAXCONN, "4096"),
                        new Knob("64", WallId.ACCEPT_QUEUE, null, List.of()));
        assertThat(remedies.getFirst().text()).isEqualTo("queueLength 64 -> 4096");
    }

    @Test
    void when_only_somaxconn_is_small_the_backlog_stays() {
        List<Remedy> remedies =
                acceptQueue(
                        Recorded.healthy()
                                .listener(8080, 129, 128, 9)
                                .serverSysctl(SOMAXCONN, "128"),
                        new Knob("8192", WallId.ACCEPT_QUEUE, null, List.of()));
        assertThat(remedies.getFirst().text()).isEqualTo("net.core.somaxconn 128 -> 4096");
    }

    /// The service asked for 4,096 places, and the setting allows 128.
    @Test
    void only_listeners_that_dropped_decide_which_bound_is_too_small() {
        List<Remedy> remedies =
                acceptQueue(
                        Recorded.healthy()
                                .listener(8080, 129, 128, 9)
                                .listener(8081, 0, 50, 0)
                                .listener(8082, 0, Double.NaN, 0)
                                .serverSysctl(SOMAXCONN, "128"),
                        new Knob("8192", WallId.ACCEPT_QUEUE, null, List.of()));
        assertThat(remedies.getFirst().text()).isEqualTo("net.core.somaxconn 128 -> 4096");
    }

    @Test
    void a_knob_for_another_wall_is_left_alone() {
        List<Remedy> remedies =
                acceptQueue(
                        Recorded.healthy()
                                .listener(8080, 65, 64, 9)
                                .serverSysctl(SOMAXCONN, "4096"),
                        new Knob("64", WallId.SERVER_CONCURRENCY, null, List.of()));
        assertThat(remedies).isEmpty();
    }

    @Test
    void workers_are_raised_to_the_load_that_is_asked_for_within_the_knob() {
        Observation observation = Recorded.healthy().connections(12).observation();
        Judgement.Binds binds =
                new Judgement.Binds(
                        new ServerConcurrency(), End.SERVER, Harm.THROUGHPUT, List.of());
        Experiment experiment =
                experiment(
                        Map.of("workers", new Knob("4", WallId.SERVER_CONCURRENCY, 64L, List.of())),
                        Limits.NONE);
        assertThat(
                        new ServerConcurrency()
                                .remedies(binds, observation, experiment)
                                .getFirst()
                                .text())
                .isEqualTo("workers 4 -> 64");
    }

    @Test
    void a_quota_is_raised_within_the_cpus_there_are() {
        Observation observation =
                Recorded.healthy()
                        .grows(CgroupFigure.PERIODS.of("users"), End.SERVER, 100)
                        .grows(CgroupFigure.THROTTLED_PERIODS.of("users"), End.SERVER, 90)
                        .observation();
        Judgement.Binds binds =
                new Judgement.Binds(new CpuQuota(), End.SERVER, Harm.THROUGHPUT, List.of());
        Experiment experiment =
                experiment(Map.of(), new Limits(null, null, null, 0.5, null, null, null));
        assertThat(new CpuQuota().remedies(binds, observation, experiment).getFirst().text())
                .isEqualTo("users.cpus 0.5 -> 1");
    }

    @Test
    void ports_are_widened_before_their_reuse_is_masked() {
        Observation observation =
                Recorded.healthy()
                        .clientSysctl("net.ipv4.ip_local_port_range", "32768\t33023")
                        .clientSysctl("net.ipv4.tcp_tw_reuse", "2")
                        .observation();
        Judgement.Binds binds =
                new Judgement.Binds(new EphemeralPorts(), End.CLIENT, Harm.ERRORS, List.of());
        List<Remedy> remedies =
                new EphemeralPorts()
                        .remedies(binds, observation, experiment(Map.of(), Limits.NONE));
        assertThat(remedies)
                .extracting(Remedy::text)
                .containsExactly(
                        "net.ipv4.ip_local_port_range 32768 33023 -> 1024 65535",
                        "net.ipv4.tcp_tw_reuse 2 -> 1");
    }

    static List<Wall> walls() {
        return Walls.ALL;
    }

    @ParameterizedTest
    @MethodSource("walls")
    void every_wall_has_advice_for_a_host_that_we_do_not_change(Wall wall) {
        Judgement.Binds binds = new Judgement.Binds(wall, End.SERVER, Harm.THROUGHPUT, List.of());
        assertThat(wall.advice(binds, Recorded.healthy().observation())).isNotEmpty();
    }
}

package wallfinder.profiling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import wallfinder.StartedProcesses;
import wallfinder.diagnosis.AllocationProfile;
import wallfinder.diagnosis.CpuProfile;
import wallfinder.diagnosis.CpuProfile.Kind;
import wallfinder.sandbox.Jvm;

/// Profiles a program that measures its own costs.
@Tag("slow")
@Timeout(120)
class CpuProfilingTest {
    /// Half as many samples would miss three points once in a hundred shares.
    private static final int WINDOWS = 16;

    private static final double POINTS = 0.03;
    private static final Set<Kind> MACHINERY = Set.of(Kind.COLLECTOR, Kind.COMPILER);

    @TempDir Path folder;
    @RegisterExtension final StartedProcesses started = new StartedProcesses();

    static Stream<Jvm> jvms() {
        return Jvm.onThisHost().stream().filter(jvm -> jvm.major() >= 11);
    }

    static Stream<Jvm> newest() {
        return jvms().limit(1);
    }

    static Stream<Jvm> older() {
        return jvms().skip(1);
    }

    /// The windows have a second of CPU time each, so that a slow host takes as many samples.
    private static CpuProfile profile(CpuProfiling profiling, Process process, int windows)
            throws IOException {
        for (int i = 0; i < windows; i++) {
            Duration end = cpu(process).plusSeconds(1);
            while (cpu(process).compareTo(end) < 0) {
                LockSupport.parkNanos(10_000_000);
            }
            profiling.endWindow(Double.NaN);
        }
        return CpuProfile.of(profiling.stop()).orElseThrow();
    }

    private static Duration cpu(Process process) {
        return process.info().totalCpuDuration().orElseThrow();
    }

    private static double share(CpuProfile profile, Predicate<CpuProfile.Part> which) {
        return profile.parts().stream()
                .filter(which)
                .mapToDouble(part -> part.share().mean())
                .sum();
    }

    @ParameterizedTest
    @MethodSource("newest")
    void every_share_is_within_three_points_of_the_truth(Jvm jvm) throws Exception {
        assertShares(jvm);
    }

    @ParameterizedTest
    @Tag("long")
    @MethodSource("older")
    void on_an_older_jvm_too_every_share_is_within_three_points(Jvm jvm) throws Exception {
        assertShares(jvm);
    }

    private void assertShares(Jvm jvm) throws Exception {
        KnownCosts program = new KnownCosts(folder);
        Process process = program.start(jvm.home());
        started.add(process);
        CpuProfile profile;
        try (CpuProfiling profiling =
                CpuProfiling.start(
                        new long[] {process.pid()},
                        pid -> jvm.major(),
                        CpuProfiling.Samples.SPARING)) {
            assertThat(profiling.doubts()).isEmpty();
            profile = profile(profiling, process, WINDOWS);
        }
        Map<String, Double> truth = KnownCosts.end(process);
        double worked = 1 - share(profile, part -> MACHINERY.contains(part.kind()));
        truth.forEach((name, expected) ->
                assertThat(measured(profile, name) / worked)
                        .as("%s on %s: %s", name, jvm.version(), profile.parts())
                        .isCloseTo(expected, within(POINTS)));
        assertThat(profile.samples()).isGreaterThan(500);
    }

    @ParameterizedTest
    @MethodSource("jvms")
    void allocations_have_their_place_and_their_size(Jvm jvm) throws Exception {
        KnownCosts.compile(
                folder,
                Map.of(
                        "Allocates",
                        """
                        class Allocates {
                            static volatile Object last;
                            public static void main(String[] arguments) throws Exception {
                                System.out.println("started");
                                while (System.in.available() == 0) {
                                    for (int i = 0; i < 10_000; i++) {
                                        much();
                                        little();
                                    }
                                }
                            }
                            static void much() {
                                last = new byte[2984]; // with its header 3,000
                            }
                            static void little() {
                                last = new int[246]; // with its header 1,000
                            }
                        }
                        """));
        Process process =
                new ProcessBuilder(jvm.home() + "/bin/java", "-cp", folder.toString(), "Allocates")
                        .start();
        started.add(process);
        assertThat(process.inputReader().readLine()).isEqualTo("started");
        AllocationProfile allocation;
        try (CpuProfiling profiling =
                CpuProfiling.start(
                        new long[] {process.pid()},
                        pid -> jvm.major(),
                        CpuProfiling.Samples.WITH_ALLOCATIONS)) {
            allocation = Objects.requireNonNull(profile(profiling, process, 2).allocation());
        }
        assertThat(allocation.methods().getFirst().name()).isEqualTo("Allocates.much");
        assertThat(allocation.methods().get(1).name()).isEqualTo("Allocates.little");
        assertThat(allocation.methods().getFirst().share().mean())
                .as(jvm.version())
                .isCloseTo(0.75, within(POINTS));
        assertThat(allocation.types().getFirst().name()).isEqualTo("byte[]");
        assertThat(allocation.bytesPerSecond()).isGreaterThan(10e6);
    }

    /// The profiler does not know the second JVM, as if that had started later.
    @ParameterizedTest
    @MethodSource("newest")
    void a_jvm_that_is_not_sampled_is_unseen_beside_one_that_is(Jvm jvm) throws Exception {
        KnownCosts.compile(
                folder,
                Map.of(
                        "Burns",
                        """
                        class Burns {
                            static volatile int sum;
                            public static void main(String[] arguments) throws Exception {
                                System.out.println("started");
                                while (System.in.available() == 0) {
                                    for (int i = 0; i < 1_000_000; i++) {
                                        sum += i;
                                    }
                                }
                            }
                        }
                        """));
        Process known = burns(jvm);
        Process unknown = burns(jvm);
        CpuProfile profile;
        double truth;
        try (CpuProfiling profiling =
                CpuProfiling.start(
                        new long[] {known.pid(), unknown.pid()},
                        pid -> pid == known.pid() ? jvm.major() : 0,
                        CpuProfiling.Samples.SPARING)) {
            Duration ofKnown = cpu(known);
            Duration ofUnknown = cpu(unknown);
            profile = profile(profiling, unknown, 2);
            double seen = cpu(known).minus(ofKnown).toNanos();
            double unseen = cpu(unknown).minus(ofUnknown).toNanos();
            truth = unseen / (seen + unseen);
        }
        assertThat(share(profile, part -> part.kind() == Kind.UNSEEN))
                .as("%s", profile.parts())
                .isCloseTo(truth, within(0.15));
        assertThat(profile.methods().getFirst().name()).isEqualTo("Burns.main");
        assertThat(profile.methods().getFirst().self().mean()).isLessThan(1 - truth + 0.15);
    }

    private Process burns(Jvm jvm) throws IOException {
        Process process =
                new ProcessBuilder(jvm.home() + "/bin/java", "-cp", folder.toString(), "Burns")
                        .start();
        started.add(process);
        assertThat(process.inputReader().readLine()).isEqualTo("started");
        return process;
    }

    /// Only the writes go to the kernel. On a processor without instructions for SHA-256, the JVM's
    /// machine code for it has no callers.
    private static double measured(CpuProfile profile, String name) {
        return share(
                profile,
                part ->
                        part.name().equals(name)
                                || part.kind() == Kind.KERNEL && name.equals("costs.writes")
                                || part.name().equals("jdk.intrinsics")
                                        && name.equals("costs.hash"));
    }
}

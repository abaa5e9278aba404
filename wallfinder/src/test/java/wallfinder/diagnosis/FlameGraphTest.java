package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import wallfinder.observation.CpuWindow;
import wallfinder.observation.CpuWindow.Frame;
import wallfinder.observation.CpuWindow.Job;
import wallfinder.observation.CpuWindow.SampledStack;
import wallfinder.observation.CpuWindow.ThreadCpu;

/// The tree of all sampled stacks, from threads and stacks.
class FlameGraphTest {
    private static final int JVM = 1;
    private static final int OTHER_JVM = 2;
    private static final int PROXY = 3;

    private static ThreadCpu ofJvm(int pid, Job job, double seconds) {
        return new ThreadCpu(pid, "java", "worker", job, seconds, 0);
    }

    private static ThreadCpu ofProxy(double seconds) {
        return new ThreadCpu(PROXY, "nginx", "worker", Job.OTHER, seconds, 0);
    }

    /// @param calls the innermost first
    private static SampledStack stack(long count, String... calls) {
        return new SampledStack(
                Stream.of(calls).map(call -> new Frame("", call, false)).toList(), count);
    }

    private static CpuWindow window(
            List<ThreadCpu> threads,
            Map<Integer, List<SampledStack>> ofJvms,
            Map<Integer, List<SampledStack>> ofOthers) {
        return new CpuWindow(1, Double.NaN, threads, ofJvms, ofOthers, Map.of(), List.of(), 0);
    }

    /// Each box, indented by its depth.
    private static List<String> tree(CpuWindow... windows) {
        return FlameGraph.of(List.of(windows)).boxes().stream()
                .map(box ->
                        "%s%s %.1f %%"
                                .formatted("  ".repeat(box.depth()), box.name(), 100 * box.share()))
                .toList();
    }

    @Test
    void the_time_of_a_process_is_divided_by_its_stacks() {
        assertThat(
                        tree(
                                window(
                                        List.of(ofProxy(1.5), ofProxy(0.5)),
                                        Map.of(),
                                        Map.of(
                                                PROXY,
                                                List.of(
                                                        stack(1, "write", "main"),
                                                        stack(3, "read", "main"),
                                                        stack(4, "poll"))))))
                .containsExactly(
                        "nginx 100.0 %",
                        "  main 50.0 %", "    read 37.5 %", "    write 12.5 %", "  poll 50.0 %");
    }

    @Test
    void the_time_of_a_jvm_is_divided_by_its_stacks_and_its_other_threads() {
        assertThat(
                        tree(
                                window(
                                        List.of(
                                                ofJvm(JVM, Job.PROGRAM, 2.4),
                                                ofJvm(JVM, Job.COLLECTOR, 0.8),
                                                ofJvm(JVM, Job.COMPILER, 0.4),
                                                ofProxy(0.4)),
                                        Map.of(
                                                JVM,
                                                List.of(
                                                        stack(1, "parse", "run"),
                                                        stack(2, "answer", "run"))),
                                        Map.of())))
                .containsExactlyInAnyOrder(
                        "garbage collection 20.0 %",
                        "JIT compilers 10.0 %",
                        "nginx 10.0 %",
                        "Java threads 60.0 %",
                        "  run 60.0 %",
                        "    answer 40.0 %",
                        "    parse 20.0 %")
                .containsSubsequence(
                        "Java threads 60.0 %",
                        "  run 60.0 %", "    answer 40.0 %", "    parse 20.0 %");
    }

    /// The stacks of one process say nothing about another.
    @Test
    void a_jvm_without_stacks_keeps_its_time() {
        assertThat(
                        tree(
                                window(
                                        List.of(
                                                ofJvm(JVM, Job.PROGRAM, 0.5),
                                                ofJvm(OTHER_JVM, Job.PROGRAM, 1.5)),
                                        Map.of(JVM, List.of(stack(7, "run"))),
                                        Map.of())))
                .containsExactly("Java threads 100.0 %", "  run 25.0 %");
    }

    @Test
    void the_same_calls_of_several_windows_are_one_box() {
        CpuWindow busy = proxy(1.5, stack(1, "read", "main"));
        CpuWindow idle = proxy(0.5, stack(5, "poll", "main"));
        assertThat(tree(idle, busy))
                .containsExactly(
                        "nginx 100.0 %", "  main 100.0 %", "    read 75.0 %", "    poll 25.0 %");
    }

    private static CpuWindow proxy(double seconds, SampledStack... stacks) {
        return window(List.of(ofProxy(seconds)), Map.of(), Map.of(PROXY, List.of(stacks)));
    }

    @Test
    void calls_that_nobody_would_see_are_left_out() {
        SampledStack[] stacks =
                IntStream.rangeClosed(1, 3)
                        .mapToObj(i -> stack(i == 1 ? 9_990 : 5, "deep", "call" + i))
                        .toArray(SampledStack[]::new);
        assertThat(tree(proxy(1, stacks)))
                .containsExactly("nginx 100.0 %", "  call1 99.9 %", "    deep 99.9 %");
    }
}

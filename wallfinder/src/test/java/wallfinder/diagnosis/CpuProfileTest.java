package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.observation.CpuWindow;
import wallfinder.observation.CpuWindow.Frame;
import wallfinder.observation.CpuWindow.Job;
import wallfinder.observation.CpuWindow.SampledStack;
import wallfinder.observation.CpuWindow.ThreadCpu;

/// The parts of a service's CPU time, computed from threads and stacks.
class CpuProfileTest {
    private static ThreadCpu thread(Job job, double seconds, double kernelSeconds) {
        return new ThreadCpu(1, "java", "worker", job, seconds, kernelSeconds);
    }

    private static ThreadCpu ofJvm(int pid, double seconds, double kernelSeconds) {
        return new ThreadCpu(pid, "java", "worker", Job.PROGRAM, seconds, kernelSeconds);
    }

    /// @param calls the innermost first; an exclamation mark begins a native method
    private static SampledStack stack(long count, String... calls) {
        return new SampledStack(Stream.of(calls).map(CpuProfileTest::frame).toList(), count);
    }

    private static Frame frame(String call) {
        String name = call.replace("!", "");
        int end = name.lastIndexOf('.');
        return new Frame(
                name.substring(0, Math.max(end, 0)), name.substring(end + 1), call.startsWith("!"));
    }

    private static CpuWindow window(List<ThreadCpu> threads, SampledStack... stacks) {
        return window(threads, Map.of(1, List.of(stacks)));
    }

    /// @param stacks of the JVMs
    private static CpuWindow window(
            List<ThreadCpu> threads, Map<Integer, List<SampledStack>> stacks) {
        return new CpuWindow(1, Double.NaN, threads, stacks, Map.of(), Map.of(), List.of(), 0);
    }

    private static Map<String, Double> shares(CpuProfile profile) {
        return profile.parts().stream()
                .collect(
                        Collectors.toMap(
                                part -> part.kind().word() + " " + part.name(),
                                part -> part.share().mean()));
    }

    private static void assertShares(CpuProfile profile, Map<String, Double> expected) {
        Map<String, Double> shares = shares(profile);
        assertThat(shares).containsOnlyKeys(expected.keySet());
        expected.forEach((name, share) ->
                assertThat(shares.get(name)).as(name).isCloseTo(share, within(1e-9)));
    }

    @Test
    void each_kind_of_thread_has_its_part() {
        CpuProfile profile =
                profile(
                        window(
                                List.of(
                                        thread(Job.PROGRAM, 0.5, 0.1),
                                        thread(Job.COLLECTOR, 0.2, 0.1),
                                        thread(Job.COMPILER, 0.1, 0),
                                        thread(Job.OTHER, 0.2, 0.15))));
        assertShares(
                profile,
                Map.of(
                        "unseen Java threads", 0.4,
                        "kernel kernel", 0.25,
                        "gc garbage collection", 0.2,
                        "compiler JIT compilers", 0.1,
                        "process java", 0.05));
        assertThat(profile.cpus()).isEqualTo(1);
    }

    @Test
    void a_call_of_the_jdk_counts_for_its_caller() {
        CpuProfile profile =
                profile(
                        window(
                                List.of(thread(Job.PROGRAM, 1, 0)),
                                stack(3, "java.util.HashMap.get", "org.example.a.A.run"),
                                stack(1, "java.lang.Thread.run")));
        assertShares(profile, Map.of("application org.example", 0.75, "jdk java.lang", 0.25));
    }

    @Test
    void a_jvm_without_stacks_is_unseen_beside_one_with_stacks() {
        CpuProfile profile =
                profile(
                        window(
                                List.of(ofJvm(1, 0.5, 0.1), ofJvm(2, 0.3, 0.1), ofJvm(3, 0.2, 0)),
                                Map.of(
                                        1, List.of(stack(4, "org.example.a.A.run")),
                                        2, List.of())));
        assertShares(
                profile,
                Map.of(
                        "application org.example", 0.4,
                        "unseen Java threads", 0.4,
                        "kernel kernel", 0.2));
        assertThat(profile.methods()).hasSize(1);
        assertThat(profile.methods().getFirst().self().mean()).isCloseTo(0.5, within(1e-9));
        assertThat(profile.flames().boxes())
                .extracting(FlameGraph.Box::name, box -> Math.round(1_000 * box.share()))
                .containsExactly(tuple("Java threads", 1_000L), tuple("org.example.a.A.run", 500L));
    }

    /// A JVM with more CPU time may have fewer samples, because another profiler took them.
    @Test
    void the_time_of_each_jvm_is_divided_by_its_own_stacks() {
        CpuProfile profile =
                profile(
                        window(
                                List.of(ofJvm(1, 0.75, 0.25), ofJvm(2, 0.25, 0)),
                                Map.of(
                                        1, List.of(stack(5, "!java.io.File.read", "a.b.A.run")),
                                        2, List.of(stack(15, "!java.io.File.read", "c.d.C.run")))));
        assertShares(
                profile,
                Map.of("application a.b", 0.5, "application c.d", 0.25, "kernel kernel", 0.25));
        assertThat(profile.flames().boxes())
                .extracting(FlameGraph.Box::name, box -> Math.round(1_000 * box.share()))
                .contains(tuple("a.b.A.run", 750L), tuple("c.d.C.run", 250L));
    }

    /// They are many functions, so the time below one of them is no time of the others.
    @Test
    void functions_without_a_name_have_no_calls() {
        CpuProfile profile =
                profile(
                        window(
                                List.of(thread(Job.PROGRAM, 1, 0)),
                                stack(3, "v8.Parse", "libc.(no symbol)"),
                                stack(1, "libc.(no symbol)", "libc.(no symbol)")));
        assertThat(profile.methods())
                .extracting(CpuProfile.Method::name, one -> one.total().mean())
                .containsExactly(tuple("v8.Parse", 0.75), tuple("libc.(no symbol)", 0.25));
    }

    /// The kernel's time is known by the kernel, and the stacks show only who called it.
    @Test
    void time_in_the_kernel_is_taken_off_the_stacks_of_native_methods() {
        SampledStack write = stack(20, "!sun.nio.ch.Dispatcher.write0", "org.example.Web.answer");
        SampledStack other = stack(20, "!java.util.zip.Inflater.inflate", "net.example.Zip.read");
        SampledStack java = stack(60, "org.example.Web.parse");
        assertShares(
                profileOf(0.1, write, other, java),
                Map.of(
                        "kernel kernel", 0.1,
                        "application org.example", 0.7,
                        "application net.example", 0.2));
        assertShares(
                profileOf(0.3, write, other, java),
                Map.of(
                        "kernel kernel", 0.3,
                        "application org.example", 0.6,
                        "application net.example", 0.1));
        assertShares(
                profileOf(0.7, write, other, java),
                Map.of("kernel kernel", 0.7, "application org.example", 0.3));
    }

    private static CpuProfile profileOf(double kernel, SampledStack... stacks) {
        return profile(window(List.of(thread(Job.PROGRAM, 1, kernel)), stacks));
    }

    private static CpuProfile profile(CpuWindow... windows) {
        return CpuProfile.of(List.of(windows)).orElseThrow();
    }

    @Test
    void a_large_group_of_packages_is_divided_where_two_parts_matter() {
        CpuProfile profile =
                profileOf(
                        0,
                        stack(40, "org.example.web.Servlet.call"),
                        stack(30, "org.example.json.deep.Writer.write"),
                        stack(1, "org.example.text.Text.trim"),
                        stack(25, "com.one.a.b.c.Only.run"),
                        stack(4, "Main.main"));
        assertShares(
                profile,
                Map.of(
                        "application org.example.web", 0.4,
                        "application org.example.json", 0.3,
                        "application org.example.text", 0.01,
                        "application com.one", 0.25,
                        "application no package", 0.04));
    }

    @Test
    void a_group_with_one_product_is_divided_by_the_parts_of_the_product() {
        CpuProfile profile =
                profileOf(
                        0,
                        stack(40, "org.apache.cxf.jaxrs.Provider.read"),
                        stack(30, "org.apache.cxf.phase.Chain.next"),
                        stack(20, "org.one.product.deep.deeper.Only.run"),
                        stack(10, "org.one.product.deep.other.Other.run"));
        assertShares(
                profile,
                Map.of(
                        "application org.apache.cxf.jaxrs", 0.4,
                        "application org.apache.cxf.phase", 0.3,
                        "application org.one.product.deep.deeper", 0.2,
                        "application org.one.product.deep.other", 0.1));
    }

    @Test
    void a_method_has_its_own_time_and_that_of_its_calls_once() {
        CpuProfile profile =
                profile(
                        window(
                                List.of(thread(Job.PROGRAM, 0.8, 0), thread(Job.COLLECTOR, 0.2, 0)),
                                stack(3, "a.b.C.inner", "a.b.C.outer", "a.b.C.outer"),
                                stack(1, "a.b.C.outer")));
        assertThat(profile.methods())
                .extracting(
                        CpuProfile.Method::name,
                        method -> Math.round(1_000 * method.self().mean()),
                        method -> Math.round(1_000 * method.total().mean()))
                .containsExactly(
                        tuple("a.b.C.inner", 600L, 600L), tuple("a.b.C.outer", 200L, 800L));
        assertThat(profile.samples()).isEqualTo(4);
    }

    /// Student's t for three values is 4.303: the mean is 0.5, the deviation 0.1.
    @Test
    void the_interval_comes_from_the_differences_between_windows() {
        CpuProfile profile =
                profile(
                        Stream.of(0.4, 0.5, 0.6)
                                .map(kernel -> window(List.of(thread(Job.OTHER, 1, kernel))))
                                .toArray(CpuWindow[]::new));
        CpuProfile.Share kernel =
                profile.parts().stream()
                        .filter(part -> part.kind() == CpuProfile.Kind.KERNEL)
                        .findFirst()
                        .orElseThrow()
                        .share();
        assertThat(kernel.mean()).isCloseTo(0.5, within(1e-9));
        assertThat(kernel.high() - kernel.mean())
                .isCloseTo(4.303 * 0.1 / Math.sqrt(3), within(0.001));
        assertThat(kernel.mean() - kernel.low())
                .isCloseTo(4.303 * 0.1 / Math.sqrt(3), within(0.001));
    }

    @Test
    void samples_divide_the_kernels_time() {
        CpuWindow busy = window(List.of(thread(Job.OTHER, 1, 0.4)));
        Map<String, Long> samples = Map.of("sendto", 60L, "page faults", 40L);
        assertShares(
                profile(with(busy, samples)),
                Map.of(
                        "process java", 0.6,
                        "kernel kernel: sendto", 0.24,
                        "kernel kernel: page faults", 0.16));
        assertThat(shares(profile(with(busy, Map.of("sendto", 9L))))).containsKey("kernel kernel");
    }

    /// Windows of a second at a low load have few samples each.
    @Test
    void windows_with_few_samples_of_the_kernel_are_divided_by_those_of_all() {
        CpuWindow quiet = window(List.of(thread(Job.OTHER, 1, 0.4)));
        CpuProfile profile =
                profile(
                        with(quiet, Map.of("sendto", 6L, "futex", 1L)),
                        with(quiet, Map.of("sendto", 3L)));
        assertThat(shares(profile))
                .containsKeys("kernel kernel: sendto", "kernel kernel: futex")
                .doesNotContainKey("kernel kernel");
    }

    private static CpuWindow with(CpuWindow window, Map<String, Long> kernelSamples) {
        return new CpuWindow(
                window.seconds(),
                window.answers(),
                window.threads(),
                window.stacks(),
                window.nativeStacks(),
                kernelSamples,
                window.allocations(),
                window.lost());
    }

    private static CpuWindow answering(CpuWindow window, double answers) {
        return new CpuWindow(
                window.seconds(),
                answers,
                window.threads(),
                window.stacks(),
                window.nativeStacks(),
                window.kernelSamples(),
                window.allocations(),
                window.lost());
    }

    @Test
    void a_part_of_a_fifth_has_the_bound_of_a_quarter_more() {
        CpuProfile profile =
                profile(
                        window(
                                List.of(thread(Job.COLLECTOR, 0.2, 0), thread(Job.PROGRAM, 0.8, 0)),
                                stack(10, "org.app.Main.run")));
        assertThat(profile.parts().getLast().share().speedupMax()).isCloseTo(1.25, within(1e-9));
        assertThat(profile(window(List.of(thread(Job.OTHER, 1, 0)))).parts().getFirst().share())
                .extracting(CpuProfile.Share::speedupMax)
                .isEqualTo(Double.NaN);
    }

    @Test
    void the_cpu_time_of_an_answer_needs_a_client() {
        CpuWindow busy = window(List.of(thread(Job.OTHER, 0.5, 0)));
        assertThat(profile(busy).microsPerAnswer()).isNaN();
        assertThat(profile(answering(busy, 100), answering(busy, 300)).microsPerAnswer())
                .isEqualTo(2_500);
    }

    @Test
    void a_window_counts_by_its_cpu_time() {
        CpuWindow busy = window(List.of(thread(Job.OTHER, 0.9, 0)));
        CpuWindow idle = window(List.of(thread(Job.COLLECTOR, 0.1, 0)));
        assertShares(
                profile(busy, idle), Map.of("process java", 0.9, "gc garbage collection", 0.1));
    }

    @Test
    void a_window_without_cpu_time_does_not_count() {
        CpuWindow idle = window(List.of());
        CpuWindow busy = window(List.of(thread(Job.OTHER, 1, 0)));
        assertThat(profile(idle, busy).parts()).hasSize(1);
        assertThat(CpuProfile.of(List.of(idle))).isEmpty();
    }

    /// A process that is no JVM. The kernel counts how long it was in the kernel.
    private static CpuProfile nativeProfile(SampledStack... stacks) {
        CpuWindow none = window(List.of(thread(Job.OTHER, 1, 0.4)));
        return profile(
                new CpuWindow(
                        none.seconds(),
                        none.answers(),
                        none.threads(),
                        none.stacks(),
                        Map.of(1, List.of(stacks)),
                        none.kernelSamples(),
                        none.allocations(),
                        none.lost()));
    }

    @Test
    void samples_outside_of_the_kernel_divide_the_time_of_a_process_by_its_files() {
        CpuProfile profile =
                nativeProfile(
                        stack(20, "nginx.parse", "nginx.main"),
                        stack(10, "libssl.encrypt", "nginx.main"),
                        stack(10, "main"),
                        stack(60, "!libc.write", "nginx.main"));
        assertShares(
                profile,
                Map.of(
                        "process java: nginx", 0.3,
                        "process java: libssl", 0.15,
                        "process java: other", 0.15,
                        "kernel kernel", 0.4));
        assertThat(profile.methods())
                .extracting(
                        CpuProfile.Method::name,
                        method -> Math.round(1_000 * method.self().mean()),
                        method -> Math.round(1_000 * method.total().mean()))
                .containsExactlyInAnyOrder(
                        tuple("libc.write", 600L, 600L),
                        tuple("nginx.parse", 200L, 200L),
                        tuple("libssl.encrypt", 100L, 100L),
                        tuple("main", 100L, 100L),
                        tuple("nginx.main", 0L, 900L));
    }

    @Test
    void a_process_that_was_sampled_only_in_the_kernel_is_not_divided() {
        assertShares(
                nativeProfile(stack(60, "!libc.write", "nginx.main")),
                Map.of("process java", 0.6, "kernel kernel", 0.4));
    }

    @ParameterizedTest
    @CsvSource({
        "java.util.HashMap.get, org.example",
        "jdk.internal.misc.Unsafe.park, org.example",
        "sun.security.ssl.Handshake.run, org.example",
        "com.sun.net.httpserver.Server.run, org.example",
        "javax.crypto.Cipher.update, org.example",
        "javax.net.ssl.Engine.wrap, org.example",
        "javax.security.auth.Subject.run, org.example",
        "javax.servlet.Filter.filter, javax.servlet",
        "com.sunny.Sun.shine, com.sunny"
    })
    void only_the_packages_of_the_jdk_count_for_their_caller(String innermost, String group) {
        assertShares(
                profileOf(0, stack(10, innermost, "org.example.Web.answer")),
                Map.of("application " + group, 1.0));
    }

    /// A write to the disk and one to a socket take the kernel's time, a computation does not.
    @ParameterizedTest
    @ValueSource(strings = {"!java.io.File.write", "!java.net.Socket.send", "!sun.nio.ch.Net.poll"})
    void the_kernels_time_is_first_taken_off_input_and_output(String output) {
        assertShares(
                profileOf(
                        0.4,
                        stack(50, output, "org.example.Web.answer"),
                        stack(50, "!java.util.zip.Deflater.deflate", "net.example.Zip.write")),
                Map.of(
                        "application org.example", 0.1,
                        "application net.example", 0.5,
                        "kernel kernel", 0.4));
    }
}

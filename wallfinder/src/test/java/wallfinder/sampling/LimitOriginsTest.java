package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.observation.Bound;
import wallfinder.observation.End;

/// Finds who sets a limit: settings files, units, options of a JVM, processes.
class LimitOriginsTest {
    private static final String RANGE = "net.ipv4.ip_local_port_range";
    private static final double GIB = 1 << 30;

    @TempDir Path root;

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private String setBy(String value) {
        return new SettingFiles(root).of(RANGE, value).origin();
    }

    @Test
    void the_file_that_sets_a_kernel_setting_is_named() throws IOException {
        assertThat(setBy("32768 60999")).isEqualTo(RANGE + " (no file sets it)");
        write("etc/sysctl.d/10-ports.conf", "# ports\n" + RANGE + " = 15000\t64000\n");
        assertThat(setBy("15000 64000")).endsWith("in " + root + "/etc/sysctl.d/10-ports.conf");
        assertThat(setBy("32768 60999")).contains("by hand").contains("15000");
    }

    @Test
    void the_last_file_counts_and_a_file_hides_later_ones_of_the_same_name() throws IOException {
        write("usr/lib/sysctl.d/50-a.conf", RANGE + "=1024 2000\n");
        write("etc/sysctl.d/50-a.conf", "-net/ipv4/ip_local_port_range=1024 3000\n");
        write("run/sysctl.d/20-b.conf", RANGE + "=1024 4000\n");
        assertThat(setBy("1024 3000")).endsWith("etc/sysctl.d/50-a.conf");
        write("etc/sysctl.conf", RANGE + " = 1024 5000\n");
        assertThat(setBy("1024 5000")).endsWith("etc/sysctl.conf");
    }

    @Test
    void the_unit_of_a_group_and_the_file_of_its_limit_are_named() throws IOException {
        write("usr/lib/systemd/system/web.service", "[Service]\nTasksMax=100\n");
        LimitOrigin origin = new LimitOrigin(root);
        Path group = Path.of("/sys/fs/cgroup/system.slice/web.service/pids.max");
        Bound.Setter setter = origin.ofGroup(group, "TasksMax", "--pids-limit");
        assertThat(setter.origin())
                .isEqualTo("TasksMax= in " + root + "/usr/lib/systemd/system/web.service");
        assertThat(setter.commands())
                .containsExactly("systemctl set-property web.service TasksMax={to}");
        write("etc/systemd/system/web.service.d/more.conf", "[Service]\nTasksMax=200\n");
        assertThat(origin.ofGroup(group, "TasksMax", "").origin()).endsWith("more.conf");
    }

    @Test
    void groups_of_a_container_and_groups_without_a_unit_are_recognized() {
        LimitOrigin origin = new LimitOrigin(root);
        Path docker = Path.of("/sys/fs/cgroup/system.slice/docker-0a1b.scope/pids.max");
        assertThat(origin.ofGroup(docker, "TasksMax", "--pids-limit").commands().getFirst())
                .startsWith("docker update --pids-limit={to}");
        Path plain = Path.of("/sys/fs/cgroup/pids/own/pids.max");
        assertThat(origin.ofGroup(plain, "TasksMax", "").origin()).isEqualTo(plain.toString());
    }

    private static JvmHeap heap(double memory, List<String> environment, String... command) {
        return JvmHeap.of(7, List.of(command), environment, memory);
    }

    @Test
    void the_options_of_a_jvm_set_its_heap() {
        List<String> none = List.of();
        assertThat(heap(GIB, none, "java", "-Xmx512m", "-jar", "a.jar", "-Xmx1g").bytes())
                .isEqualTo(GIB / 2);
        assertThat(heap(GIB, none, "java", "-Xmx1g", "-XX:MaxHeapSize=64m", "Main").bytes())
                .as("the last one counts")
                .isEqualTo(GIB / 16);
        JvmHeap share =
                heap(GIB, List.of("JDK_JAVA_OPTIONS=-XX:MaxRAMPercentage=75"), "java", "Main");
        assertThat(share.bytes()).isEqualTo(0.75 * GIB);
        assertThat(share.setBy()).isEqualTo("-XX:MaxRAMPercentage=75 in JDK_JAVA_OPTIONS");
        JvmHeap small = heap(192 << 20, none, "java", "-XX:MaxRAMPercentage=75", "M");
        assertThat(small.bytes()).as("MinRAMPercentage is 50").isEqualTo(96 << 20);
        assertThat(heap(192 << 20, none, "java", "-XX:MinRAMPercentage=75", "M").bytes())
                .isEqualTo(126 << 20);
        assertThat(heap(GIB, List.of("JAVA_TOOL_OPTIONS=-Xmx1g"), "java", "-Xmx256m", "M").bytes())
                .isEqualTo(GIB / 4);
        assertThat(heap(GIB, List.of("_JAVA_OPTIONS=-Xmx1g"), "java", "-Xmx256m", "M").bytes())
                .isEqualTo(GIB);
    }

    @Test
    void without_an_option_a_jvm_takes_a_quarter_of_the_memory_or_half_of_a_small_one() {
        List<String> none = List.of();
        assertThat(heap(4 * GIB, none, "java", "-cp", "a", "M").bytes()).isEqualTo(GIB);
        assertThat(heap(200 << 20, none, "java", "M").bytes()).isEqualTo(100 << 20);
        assertThat(heap(400 << 20, none, "java", "M").bytes()).isEqualTo(126 << 20);
        assertThat(JvmHeap.of((int) ProcessHandle.current().pid(), GIB)).isPresent();
    }

    @Test
    void the_words_after_the_main_class_are_no_options_of_the_jvm() {
        List<String> none = List.of();
        for (String option :
                List.of(
                        "--add-opens",
                        "--add-exports",
                        "--add-modules",
                        "--add-reads",
                        "--patch-module",
                        "--limit-modules",
                        "--upgrade-module-path",
                        "--enable-native-access",
                        "--source",
                        "-p")) {
            assertThat(
                            heap(GIB, none, "java", option, "value", "-Xmx512m", "Main", "-Xmx1g")
                                    .bytes())
                    .as(option)
                    .isEqualTo(GIB / 2);
        }
        assertThat(heap(GIB, none, "java", "--module=a/b", "-Xmx1g").bytes()).isEqualTo(GIB / 4);
    }

    @Test
    void of_much_memory_a_jvm_counts_a_part() {
        List<String> none = List.of();
        JvmHeap own = heap(512 * GIB, none, "java", "M");
        assertThat(own.bytes()).as("what compressed references reach").isEqualTo(30 * GIB);
        assertThat(own.setBy()).isEqualTo("the JVM's own rule");
        assertThat(heap(512 * GIB, none, "java", "-XX:+UseZGC", "M").bytes())
                .as("a quarter of 128 GB")
                .isEqualTo(32 * GIB);
        assertThat(heap(512 * GIB, none, "java", "-XX:MaxRAMPercentage=25", "M").bytes())
                .isEqualTo(128 * GIB);
        assertThat(heap(512 * GIB, none, "java", "-XX:InitialRAMPercentage=1", "M").bytes())
                .isEqualTo(128 * GIB);
        JvmHeap half = heap(4 * GIB, none, "java", "-XX:MaxRAMFraction=2", "M");
        assertThat(half.bytes()).isEqualTo(2 * GIB);
        assertThat(half.setBy()).isEqualTo("-XX:MaxRAMFraction=2");
        assertThat(
                        heap(
                                        4 * GIB,
                                        none,
                                        "java",
                                        "-XX:MaxRAMPercentage=75",
                                        "-XX:MaxRAMFraction=2",
                                        "M")
                                .bytes())
                .as("a percentage counts more than a fraction")
                .isEqualTo(3 * GIB);
        assertThat(heap(100 << 20, none, "java", "-XX:MinRAMFraction=1", "M").bytes())
                .isEqualTo(100 << 20);
        assertThat(heap(4 * GIB, none, "java", "-XX:MaxRAM=1g", "M").setBy())
                .isEqualTo("-XX:MaxRAM=1g");
    }

    /// `MaxRAM` takes the place of this host's memory.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "-XX:MaxRAM=2g",
                "-XX:MaxRAM=200m",
                "-XX:MaxRAM=300m -XX:MaxRAMPercentage=80",
                "-XX:MaxRAM=300m -XX:MinRAMPercentage=30",
                "-XX:MaxRAM=200g",
                "-XX:MaxRAM=200g -XX:+UseCompressedOops",
                "-XX:MaxRAM=200g -XX:+UseZGC",
                "-XX:MaxRAM=400m -Xms200m",
                "-XX:MaxRAM=400m -XX:MinHeapSize=200m",
            })
    void the_rule_is_that_of_the_jvm(String options) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(List.of(options.split(" ")));
        double expected = heap(GIB, List.of(), command.toArray(String[]::new)).bytes();
        command.addAll(List.of("-XX:+PrintFlagsFinal", "-version"));
        Process java = new ProcessBuilder(command).start();
        String printed = new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Matcher size = Pattern.compile("\\bMaxHeapSize += (\\d+)").matcher(printed);
        assertThat(size.find()).as(printed).isTrue();
        // The JVM rounds to whole regions of the heap.
        assertThat(Double.parseDouble(size.group(1))).isCloseTo(expected, withinPercentage(2));
    }

    @Test
    void the_process_from_which_a_limit_is_inherited_is_named() throws Exception {
        Process shell =
                new ProcessBuilder("sh", "-c", "ulimit -n 77; sleep 60 & echo $!; wait")
                        .redirectErrorStream(true)
                        .start();
        try {
            int child = Integer.parseInt(shell.inputReader().readLine().strip());
            List<Bound> bounds = ProcessBounds.of(End.SERVER, List.of(child), GIB);
            Bound descriptors =
                    bounds.stream()
                            .filter(b -> b.kind() == Bound.Kind.PROCESS_DESCRIPTORS)
                            .findFirst()
                            .orElseThrow();
            assertThat(descriptors.limit()).isEqualTo(77);
            assertThat(descriptors.inUse()).isBetween(3.0, 20.0);
            assertThat(descriptors.setter().origin())
                    .satisfiesAnyOf(
                            origin ->
                                    assertThat(origin).contains("process " + shell.pid() + " (sh)"),
                            origin -> assertThat(origin).contains("container"));
        } finally {
            shell.descendants().forEach(ProcessHandle::destroyForcibly);
            shell.destroyForcibly();
            assertThat(shell.waitFor(10, TimeUnit.SECONDS)).isTrue();
        }
    }
}

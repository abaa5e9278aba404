package wallfinder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static wallfinder.LauncherProject.output;
import static wallfinder.LauncherProject.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `bin/wallfinder` makes and uses an AOT cache of the JVM. The test program prints how it was
/// started. It has a module with the name of the one that the JVM's options allow native calls. A
/// JVM that cannot use the cache it was given shares no classes.
@Tag("slow")
@Timeout(240)
class LauncherCacheTest {
    private static final Path JDK = Path.of(System.getProperty("java.home"));
    private static final String MAKING = "making the next starts faster";
    private static final String USED = "started, cache true, sharing true\n";
    private static final String LEFT_ASIDE = "started, cache true, sharing false\n";
    private static final String WITHOUT = "started, cache false, sharing true\n";

    private static final String MAIN =
            """
            package wallfinder.cli;
            public class Main {
                public static void main(String[] arguments) {
                    String command = java.util.Arrays.toString(
                            ProcessHandle.current().info().arguments().get());
                    System.out.println("started, cache " + command.contains("-XX:AOTCache=")
                            + ", sharing " + System.getProperty("java.vm.info").contains("sharing"));
                }
            }
            """;
    private static final String REHEARSAL =
            """
            package wallfinder.cli;
            class Rehearsal {
                public static void main(String[] arguments) {
                    if (System.getenv("REHEARSAL_FAILS") != null) {
                        throw new IllegalStateException("as asked for");
                    }
                    Main.main(arguments);
                }
            }
            """;

    @TempDir private static Path built;
    @TempDir private Path temporary;
    private LauncherProject project;

    @BeforeAll
    static void build() throws Exception {
        Path terminal = Files.createDirectories(built.resolve("terminal"));
        Files.writeString(terminal.resolve("module-info.java"), "module org.jline.terminal.ffm {}");
        Path sources = Files.createDirectories(built.resolve("sources"));
        Files.writeString(
                sources.resolve("module-info.java"),
                "module wallfinder { requires org.jline.terminal.ffm; }");
        Files.writeString(sources.resolve("Main.java"), MAIN);
        Files.writeString(sources.resolve("Rehearsal.java"), REHEARSAL);
        Files.createDirectories(built.resolve("modules"));
        tool("javac", "-d", "terminal", "terminal/module-info.java");
        tool("jar", "--create", "--file", "modules/terminal.jar", "-C", "terminal", ".");
        tool(
                "javac",
                "-d",
                "classes",
                "-p",
                "modules",
                "sources/module-info.java",
                "sources/Main.java",
                "sources/Rehearsal.java");
        tool("jar", "--create", "--file", "modules/wallfinder.jar", "-C", "classes", ".");
    }

    private static void tool(String name, String... arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of(JDK.resolve("bin/" + name).toString()));
        words.addAll(List.of(arguments));
        Process process = process(words, built).start();
        assertThat(output(process)).isEmpty();
        assertThat(process.exitValue()).isZero();
    }

    @BeforeEach
    void a_project_with_a_program() throws Exception {
        project = new LauncherProject(temporary);
        Path modules = Files.createDirectories(project.file("wallfinder/target/modules"));
        for (String jar : List.of("terminal.jar", "wallfinder.jar")) {
            Files.copy(built.resolve("modules").resolve(jar), modules.resolve(jar));
        }
    }

    @Test
    void the_cache_is_made_once_and_then_used() throws Exception {
        assertThat(output(project.started())).contains(MAKING).endsWith(USED);
        assertThat(output(project.started())).isEqualTo(USED);
        assertThat(project.file("wallfinder/target/rehearsal")).doesNotExist();
    }

    @Test
    @Tag("long")
    void another_or_a_newer_jdk_makes_a_new_cache() throws Exception {
        output(project.started());
        Path other = jdkInAnotherFolder();
        assertThat(outputWith(other)).contains(MAKING).endsWith(USED);
        assertThat(outputWith(other)).isEqualTo(USED);
        Files.writeString(
                other.resolve("release"),
                "JAVA_RUNTIME_VERSION=\"99.0.1+7\"\nJAVA_VERSION=\"99.0.1\"\n");
        assertThat(outputWith(other)).contains(MAKING).endsWith(USED);
        assertThat(outputWith(other)).isEqualTo(USED);
    }

    /// A folder of links to the same JDK, with its own `release`.
    private Path jdkInAnotherFolder() throws IOException {
        Path other = Files.createDirectories(temporary.resolve("jdk"));
        try (Stream<Path> parts = Files.list(JDK)) {
            for (Path part : parts.toList()) {
                Files.createSymbolicLink(other.resolve(part.getFileName()), part);
            }
        }
        String release = Files.readString(JDK.resolve("release"));
        Files.delete(other.resolve("release"));
        Files.writeString(other.resolve("release"), release);
        return other;
    }

    private String outputWith(Path jdk) throws Exception {
        ProcessBuilder start = process(List.of(project.script()), temporary);
        start.environment().put("JAVA_HOME", jdk.toString());
        return output(start.start());
    }

    @Test
    @Tag("long")
    void a_corrupt_or_missing_cache_is_ignored_silently() throws Exception {
        output(project.started());
        Path cache = project.file("wallfinder/target/wallfinder.aot");
        Files.writeString(cache, "no cache at all");
        assertThat(output(project.started())).isEqualTo(LEFT_ASIDE);
        Files.delete(cache);
        assertThat(output(project.started())).isEqualTo(WITHOUT);
    }

    /// A JVM that cannot load the cache's objects into its heap ends, so the script gives it no
    /// cache.
    @ParameterizedTest
    @CsvSource({"JDK_JAVA_OPTIONS, -Xmn48m", "JAVA_TOOL_OPTIONS, -XX:+UseParallelGC"})
    void a_jvm_with_options_in_a_variable_gets_no_cache(String variable, String options)
            throws Exception {
        noCache(variable, options);
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"JAVA_TOOL_OPTIONS, -Xmn15m", "JDK_JAVA_OPTIONS, -XX:+UseZGC -Xmx128m"})
    void a_jvm_with_other_options_in_a_variable_gets_no_cache(String variable, String options)
            throws Exception {
        noCache(variable, options);
    }

    private void noCache(String variable, String options) throws Exception {
        assertThat(outputWith(variable, options)).contains(MAKING).endsWith(WITHOUT);
        assertThat(outputWith(variable, options)).doesNotContain(MAKING).endsWith(WITHOUT);
        assertThat(output(project.started())).isEqualTo(USED);
    }

    private String outputWith(String variable, String options) throws Exception {
        ProcessBuilder start = process(List.of(project.script()), temporary);
        start.environment().put(variable, options);
        return output(start.start());
    }

    @Test
    @Tag("long")
    void another_jar_makes_a_new_cache() throws Exception {
        output(project.started());
        tool(
                "jar",
                "--update",
                "--file",
                project.file("wallfinder/target/modules/wallfinder.jar").toString(),
                "-C",
                "sources",
                "Main.java");
        assertThat(output(project.started())).contains(MAKING).endsWith(USED);
    }

    @Test
    @Tag("long")
    void two_simultaneous_first_starts_make_one_cache() throws Exception {
        assumeTrue(Files.exists(Path.of("/usr/bin/flock")), "flock is not installed");
        List<Process> both = List.of(project.started(), project.started());
        String output = output(both.get(0)) + output(both.get(1));
        assertThat(output.split(MAKING, -1)).hasSize(2);
        assertThat(output.split(USED, -1)).hasSize(3);
    }

    @Test
    @Tag("long")
    void a_failed_cache_does_not_stop_the_program_and_is_not_tried_again() throws Exception {
        ProcessBuilder start = process(List.of(project.script()), temporary);
        start.environment().put("REHEARSAL_FAILS", "yes");
        assertThat(output(start.start())).contains(MAKING).endsWith(WITHOUT);
        assertThat(project.file("wallfinder/target/cache.log"))
                .content()
                .contains("as asked for", "no cache could be made");
        assertThat(output(project.started())).isEqualTo(WITHOUT);
    }

    @Test
    @Tag("long")
    @Tag("sandbox")
    void a_read_only_checkout_works_with_and_without_a_cache() throws Exception {
        output(project.started());
        assertThat(readOnlyOutput()).isEqualTo(USED);
        Files.delete(project.file("wallfinder/target/.cached"));
        assertThat(readOnlyOutput()).isEqualTo(WITHOUT);
    }

    private String readOnlyOutput() throws Exception {
        String readOnly =
                "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" && exec \"$0\" load";
        String folder = project.file("").toString();
        List<String> words =
                List.of("unshare", "--mount", "sh", "-c", readOnly, project.script(), folder);
        return output(process(words, temporary).start());
    }
}

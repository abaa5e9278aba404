package wallfinder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static wallfinder.LauncherProject.output;
import static wallfinder.LauncherProject.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// `bin/wallfinder` builds before it starts. The project contains no program, so each start ends
/// with an error of the JVM.
@Tag("slow")
@Timeout(120)
class LauncherTest {
    private static final String BUILDING = "building Wallfinder";
    private static final String STARTED = "Module wallfinder not found";

    @TempDir private Path temporary;
    private LauncherProject project;

    @BeforeEach
    void a_project() throws IOException {
        project = new LauncherProject(temporary);
    }

    @Test
    void the_first_use_builds_and_the_second_does_not() throws Exception {
        assertThat(output(project.started())).contains(BUILDING + " (first use").contains(STARTED);
        assertThat(output(project.started())).doesNotContain(BUILDING).contains(STARTED);
    }

    @Test
    void a_changed_or_deleted_source_is_built_again() throws Exception {
        Path source = project.file("wallfinder/src/main/java/Source.java");
        output(project.started());
        Files.setLastModifiedTime(source, inAMinute());
        assertThat(output(project.started())).contains(BUILDING + " (its sources changed");
        Files.delete(source);
        Files.setLastModifiedTime(source.getParent(), inAMinute());
        assertThat(output(project.started())).contains(BUILDING + " (its sources changed");
    }

    @Test
    void two_simultaneous_first_uses_build_once() throws Exception {
        assumeTrue(Files.exists(Path.of("/usr/bin/flock")), "flock is not installed");
        List<Process> both = List.of(project.started(), project.started());
        String output = output(both.get(0)) + output(both.get(1));
        assertThat(output.split(BUILDING, -1)).hasSize(2);
        assertThat(output.split(STARTED, -1)).hasSize(3);
    }

    @Test
    @Tag("long")
    void a_build_that_fails_shows_the_log_and_is_tried_again() throws Exception {
        Files.writeString(project.file("wallfinder/pom.xml"), "<project>no pom</project>");
        Process first = project.started();
        assertThat(output(first))
                .contains("Malformed POM")
                .contains("what to do: read " + project.file("wallfinder/target/build.log"));
        assertThat(first.exitValue()).isEqualTo(3);
        project.pom("wallfinder", "<packaging>pom</packaging>");
        assertThat(output(project.started())).contains(BUILDING).contains(STARTED);
    }

    /// Maven survives the script that started it. The next start waits for it, and trusts nothing
    /// that it has left.
    @Test
    void a_killed_first_build_leaves_nothing_half_done() throws Exception {
        Process first = project.started();
        assertThat(first.inputReader().readLine()).contains(BUILDING);
        while (!Files.exists(project.file("wallfinder/target/.building"))) {
            assertThat(first.isAlive()).isTrue();
            Thread.onSpinWait();
        }
        first.destroyForcibly().waitFor();
        Path half = project.file("wallfinder/target/modules/half.jar");
        Files.createDirectories(half.getParent());
        Files.writeString(half, "half a jar");
        assertThat(output(project.started())).contains(BUILDING + " (first use").contains(STARTED);
        assertThat(half).doesNotExist();
        assertThat(output(project.started())).doesNotContain(BUILDING).contains(STARTED);
    }

    @Test
    void a_folder_that_cannot_be_written_is_reported() throws Exception {
        Files.createDirectories(project.file("wallfinder/target/.lock"));
        Process process = project.started();
        assertThat(output(process))
                .contains(project.file("wallfinder/target") + " cannot be written by user")
                .contains("work in a clone of your own");
        assertThat(process.exitValue()).isEqualTo(3);
    }

    @Test
    void a_service_is_built_when_a_command_or_a_study_first_names_it() throws Exception {
        project.pom(
                "",
                "<packaging>pom</packaging><modules><module>wallfinder</module>"
                        + "<module>services/one</module><module>services/two</module></modules>");
        project.pom("services/one", "<packaging>pom</packaging>");
        project.pom("services/two", "<packaging>pom</packaging>");
        assertThat(output(project.started("serve"))).doesNotContain("services/");
        String one = "building services/one (first use";
        String two = "building services/two (first use";
        List<String> words = List.of("serve", "--jvm", "17", "one", "two");
        assertThat(output(project.started(words.toArray(new String[0]))))
                .contains(one)
                .doesNotContain(two);
        Path study = project.file("study.yaml");
        Files.writeString(study, "command: java -jar {home}/services/two/target/two.jar\n");
        assertThat(output(project.started("find", study.toString())))
                .contains(two)
                .doesNotContain(one);
    }

    @Test
    void the_script_runs_through_a_symbolic_link_from_any_folder() throws Exception {
        Path link = temporary.resolve("link");
        Files.createSymbolicLink(link, project.file("bin/wallfinder"));
        assertThat(output(process(List.of(link.toString()), Path.of("/")).start()))
                .contains(STARTED);
    }

    @Test
    void a_missing_maven_is_reported_with_how_to_get_it() throws Exception {
        Path programs = Files.createDirectories(temporary.resolve("programs"));
        for (String name : List.of("readlink", "dirname", "sed", "find", "id", "grep")) {
            program(programs, name, "exec %s \"$@\"".formatted(installed(name)));
        }
        ProcessBuilder start = process(List.of(project.script()), temporary);
        start.environment().put("PATH", programs.toString());
        Process process = start.start();
        assertThat(output(process)).contains("Maven is missing").contains("SDKMAN", "macOS");
        assertThat(process.exitValue()).isEqualTo(3);
    }

    /// A user without root, whose `env` is too old to start the program in namespaces of its own.
    @Test
    @Tag("sandbox")
    void a_study_starts_without_namespaces_if_they_cannot_be_entered() throws Exception {
        Path study = Files.writeString(project.file("study.yaml"), "name: study\n");
        Path programs = Files.createDirectories(temporary.resolve("programs"));
        program(programs, "id", "echo 1000");
        program(programs, "env", "echo \"env: unrecognized option\" >&2; exit 125");
        List<String> words = List.of(project.script(), "find", study.toString());
        ProcessBuilder start = process(words, temporary);
        start.environment().merge("PATH", programs + ":", (path, first) -> first + path);
        assertThat(output(start.start())).contains(STARTED).doesNotContain("unrecognized option");
    }

    @Test
    @Tag("sandbox")
    void a_missing_jdk_is_reported_with_how_to_get_one() throws Exception {
        String withoutJdks =
                "for folder in /usr/lib/jvm /opt; do"
                        + " [ ! -d $folder ] || mount -t tmpfs none $folder; done; exec \"$0\"";
        ProcessBuilder start =
                process(
                        List.of("unshare", "--mount", "sh", "-c", withoutJdks, project.script()),
                        temporary);
        start.environment().put("JAVA_HOME", "/usr/lib/jvm/none");
        start.environment().put("HOME", temporary.toString());
        start.environment().put("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        Process process = start.start();
        assertThat(output(process))
                .contains("no JDK 25 or newer was found")
                .contains("JAVA_HOME is /usr/lib/jvm/none")
                .containsOnlyOnce("what to do")
                .contains("temurin-25-jdk");
        assertThat(process.exitValue()).isEqualTo(3);
    }

    private static FileTime inAMinute() {
        return FileTime.from(Instant.now().plus(Duration.ofMinutes(1)));
    }

    private static void program(Path folder, String name, String script) throws IOException {
        Path program = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + script + "\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
    }

    private static Path installed(String program) {
        return Stream.of("/usr/bin", "/bin")
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow();
    }
}

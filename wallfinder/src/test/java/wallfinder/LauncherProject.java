package wallfinder;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A small project with `bin/wallfinder` that Maven builds in a second. Its folder's name has a
/// space.
final class LauncherProject {
    private final Path folder;

    LauncherProject(Path temporary) throws IOException {
        folder = Files.createDirectories(temporary.resolve("a project"));
        Files.createDirectories(folder.resolve("bin"));
        for (String script : List.of("bin/wallfinder", "bin/build.sh", "bin/start.sh")) {
            Files.copy(Tree.ROOT.resolve(script), folder.resolve(script));
        }
        assertThat(file("bin/wallfinder").toFile().setExecutable(true)).isTrue();
        pom("", "<packaging>pom</packaging><modules><module>wallfinder</module></modules>");
        pom("wallfinder", "<packaging>pom</packaging>");
        Path source = file("wallfinder/src/main/java/Source.java");
        Files.createDirectories(source.getParent());
        Files.writeString(source, "// some source\n");
    }

    Path file(String name) {
        return folder.resolve(name);
    }

    String script() {
        return file("bin/wallfinder").toString();
    }

    Process started() throws IOException {
        return started("load");
    }

    Process started(String... arguments) throws IOException {
        List<String> words = new ArrayList<>(List.of(script()));
        words.addAll(List.of(arguments));
        return process(words, folder).start();
    }

    static ProcessBuilder process(List<String> command, Path folder) {
        ProcessBuilder process = new ProcessBuilder(command).directory(folder.toFile());
        process.environment().put("JAVA_HOME", System.getProperty("java.home"));
        return process.redirectErrorStream(true);
    }

    static String output(Process process) throws IOException, InterruptedException {
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        process.waitFor();
        return output;
    }

    void pom(String module, String rest) throws IOException {
        Path into = Files.createDirectories(file(module));
        String name = module.isEmpty() ? "parent" : module.replace("/", "-");
        Files.writeString(
                into.resolve("pom.xml"),
                """
                <project xmlns="http://maven.apache.org/POM/4.0.0">
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>launcher</groupId><artifactId>%s</artifactId><version>1</version>
                  %s
                </project>
                """
                        .formatted(name, rest));
    }
}

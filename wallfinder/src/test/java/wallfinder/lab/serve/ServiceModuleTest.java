package wallfinder.lab.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServiceModuleTest {
    private static final String POM =
            """
            <project>
              <parent><groupId>g</groupId></parent>
              <name>Services: a service</name>
              <properties><maven.compiler.release>21</maven.compiler.release></properties>
            </project>
            """;

    @TempDir private Path home;

    @Test
    void the_options_of_a_service_come_before_its_jar() throws IOException {
        Path plain = Files.createDirectories(home.resolve("services/plain"));
        Path tuned = Files.createDirectories(home.resolve("services/tuned"));
        Files.writeString(plain.resolve("pom.xml"), POM);
        Files.writeString(tuned.resolve("pom.xml"), POM);
        Path options = Files.writeString(tuned.resolve("jvm.options"), "-XX:+UseSerialGC\n");
        assertThat(ServiceModule.under(home))
                .extracting(ServiceModule::title, ServiceModule::javaMin, ServiceModule::arguments)
                .containsExactly(
                        tuple("a service", 21, List.of("-jar", plain + "/target/plain.jar")),
                        tuple(
                                "a service",
                                21,
                                List.of("@" + options, "-jar", tuned + "/target/tuned.jar")));
    }
}

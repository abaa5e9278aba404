package wallfinder.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.experiment.UsageException;

class JvmTest {
    @TempDir Path folder;

    @Test
    void our_own_jvm_is_found_by_its_version_and_by_its_path() throws Exception {
        Jvm own = Jvm.of(null);
        assertThat(own.major()).isEqualTo(Runtime.version().feature());
        assertThat(own.home()).isEqualTo(Path.of(System.getProperty("java.home")).toRealPath());
        assertThat(Jvm.of(Integer.toString(own.major())).major()).isEqualTo(own.major());
        assertThat(Jvm.of(own.home().toString())).isEqualTo(own);
        assertThat(Jvm.onThisHost()).contains(own);
    }

    @Test
    void the_java_of_a_package_is_no_jvm_for_services() throws Exception {
        Path ofPackage = jvm("package", "25.0.3");
        Path release = ofPackage.resolve("release");
        assertThat(Jvm.at(ofPackage)).isPresent();
        Files.writeString(release, "IMAGE_TYPE=WALLFINDER\n" + Files.readString(release));
        assertThat(Jvm.at(ofPackage)).isEmpty();
    }

    @Test
    void each_jvm_is_listed_once_and_the_newest_comes_first() throws Exception {
        Path old = jvm("old", "1.8.0_442");
        Path recent = jvm("recent", "25-ea");
        Files.createSymbolicLink(folder.resolve("default"), old);
        Files.createDirectory(folder.resolve("empty"));
        Path server = Files.createDirectories(recent.resolve("lib/server"));
        Files.createFile(server.resolve("classes.jsa"));
        List<Jvm.Found> found =
                Jvm.in(
                        new JvmPlaces(
                                List.of(new JvmPlaces.Place("one", old)),
                                List.of(new JvmPlaces.Place("many", folder))));
        assertThat(found).extracting(f -> f.jvm().major()).containsExactly(25, 8);
        assertThat(found).extracting(f -> f.jvm().home()).containsExactly(recent, old);
        assertThat(found).extracting(f -> f.jvm().vendor()).containsOnly("A Vendor");
        assertThat(found)
                .extracting(f -> f.jvm().archives())
                .containsExactly(List.of("classes.jsa"), List.of());
        assertThat(found)
                .extracting(Jvm.Found::from)
                .containsExactly(List.of("many"), List.of("one", "many"));
    }

    private Path jvm(String name, String version) throws Exception {
        Path home = Files.createDirectories(folder.resolve(name)).toRealPath();
        Path java = Files.createDirectory(home.resolve("bin")).resolve("java");
        Files.createFile(java);
        java.toFile().setExecutable(true);
        Files.writeString(
                home.resolve("release"),
                "IMPLEMENTOR=\"A Vendor\"\nJAVA_VERSION=\"" + version + "\"\n");
        return home;
    }

    @Test
    void the_error_for_a_missing_jvm_lists_those_of_this_host() throws Exception {
        List<Jvm> found = List.of(Jvm.at(jvm("only", "17.0.15")).orElseThrow());
        assertThatThrownBy(() -> Jvm.of("11", found))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("no JVM 11")
                .hasMessageContaining("17 (");
        assertThatThrownBy(() -> Jvm.of("/no/such/folder", found))
                .isInstanceOf(UsageException.class);
    }
}

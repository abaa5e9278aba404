package wallfinder.lab.serve;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A service that comes with Wallfinder: a folder of `services/` and a Maven module. Its `pom.xml`
/// gives its title and the Java version that it needs. Maven builds it into `target/NAME.jar`. It
/// may have a `jvm.options`, an argument file of the `java` command.
///
/// @param title one line that describes it
/// @param javaMin the oldest Java version that runs it
record ServiceModule(String name, Path folder, String title, int javaMin) {
    /// The first `name` in the file is the module's, because its parent and dependencies have no
    /// name.
    private static final Pattern TITLE = Pattern.compile("<name>(?:Services: )?([^<]*)</name>");

    private static final Pattern RELEASE =
            Pattern.compile("<maven\\.compiler\\.release>\\s*(\\d+)");

    /// All services, sorted by name.
    ///
    /// @param home the project's folder
    static List<ServiceModule> under(Path home) throws IOException {
        Path services = home.resolve("services");
        List<ServiceModule> found = new ArrayList<>();
        if (!Files.isDirectory(services)) {
            return found;
        }
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(services)) {
            for (Path folder : folders) {
                if (Files.isRegularFile(folder.resolve("pom.xml"))) {
                    found.add(of(folder));
                }
            }
        }
        found.sort(Comparator.comparing(ServiceModule::name));
        return found;
    }

    private static ServiceModule of(Path folder) throws IOException {
        String pom = Files.readString(folder.resolve("pom.xml"));
        String name = String.valueOf(folder.getFileName());
        String release = first(RELEASE, pom, "0");
        return new ServiceModule(name, folder, first(TITLE, pom, name), Integer.parseInt(release));
    }

    private static String first(Pattern pattern, String text, String otherwise) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group(1).strip() : otherwise;
    }

    /// The arguments of the `java` command: the options file if there is one, then the jar.
    List<String> arguments() {
        Path options = folder.resolve("jvm.options");
        return Files.isRegularFile(options)
                ? List.of("@" + options, "-jar", jar().toString())
                : List.of("-jar", jar().toString());
    }

    Path jar() {
        return folder.resolve("target").resolve(name + ".jar");
    }
}

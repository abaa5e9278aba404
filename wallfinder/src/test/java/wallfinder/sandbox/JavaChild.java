package wallfinder.sandbox;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Runs a test class in a new JVM.
public final class JavaChild {
    private JavaChild() {}

    /// @param prefix a program with its options that starts the JVM; may be empty
    static Process start(Class<?> main, List<String> prefix, Path output, String... arguments)
            throws Exception {
        List<String> options = List.of("-XX:TieredStopAtLevel=1", "-Xmx64m");
        return start(main, prefix, options, output, arguments);
    }

    /// @param options of the JVM
    public static Process start(
            Class<?> main,
            List<String> prefix,
            List<String> options,
            Path output,
            String... arguments)
            throws Exception {
        String classPath =
                String.join(
                        ":",
                        System.getProperty("java.class.path"),
                        System.getProperty("jdk.module.path", ""),
                        classes(Sandbox.class),
                        classes(main));
        List<String> words = new ArrayList<>(prefix);
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(options);
        words.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", classPath));
        words.add(main.getName());
        words.addAll(List.of(arguments));
        return new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    private static String classes(Class<?> of) throws Exception {
        String file = of.getName().replace('.', '/') + ".class";
        String url = of.getResource("/" + file).toURI().toString();
        return Path.of(URI.create(url.substring(0, url.length() - file.length()))).toString();
    }
}

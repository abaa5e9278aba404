package wallfinder.lab.fit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import wallfinder.linux.EnvironmentException;
import wallfinder.sampling.JvmCensus;

/// The profile of an application, in the format of `launcher/run-java`.
final class FitProfile {
    /// The profile's name in an image, and in the run's folder the name of the recommended one.
    static final String FILE = "run-java.profile";

    /// The variable with the path of a profile elsewhere.
    static final String VARIABLE = "RUN_JAVA_PROFILE";

    /// The profile cannot be written, perhaps because the disk is full.
    static final class NotKept extends EnvironmentException {
        private static final long serialVersionUID = 1L;

        private NotKept(Path file, IOException cause) {
            super(
                    "the profile cannot be kept in " + file,
                    String.valueOf(cause.getMessage()),
                    "free some space, or choose another folder with --out");
        }
    }

    private FitProfile() {}

    static String text(FitTrial calibration, JvmCensus census) {
        return "# Measured by wallfinder fit, %s\n".formatted(calibration.name())
                + line("classes", census.classes())
                + line("threads", calibration.life().threads())
                + line("live-mb", Math.ceil(census.liveBytes() / FitLife.MEGABYTE))
                + line("loaded-mb", Math.ceil(census.loadedBytes() / FitLife.MEGABYTE))
                + direct(census.directBytes());
    }

    /// The buffers outside of the heap.
    static String direct(double bytes) {
        return line("direct-mb", Math.ceil(bytes / FitLife.MEGABYTE));
    }

    /// All memory outside of the heap. It replaces the sum of its parts.
    static String outside(double bytes) {
        return line("outside-mb", Math.ceil(bytes / FitLife.MEGABYTE));
    }

    /// Omits a value that is unknown; the script then estimates it.
    private static String line(String name, double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, "%s=%.0f\n", name, value) : "";
    }

    static void write(Path file, String text) {
        try {
            Files.writeString(file, text, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new NotKept(file, e);
        }
    }

    /// Copies a profile to its name in an image.
    static void copy(Path folder, String name) {
        Path file = folder.resolve(FILE);
        try {
            Files.copy(folder.resolve(name), file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new NotKept(file, e);
        }
    }
}

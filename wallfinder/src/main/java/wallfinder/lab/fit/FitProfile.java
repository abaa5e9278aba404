package wallfinder.lab.fit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import wallfinder.linux.EnvironmentException;
import wallfinder.sampling.JvmCensus;

/// What was measured of an application, in the form in which `launcher/run-java` reads it.
final class FitProfile {
    /// Its name in an image, and in the run's folder that of the recommended candidate.
    static final String FILE = "run-java.profile";

    /// By which the start script finds it elsewhere.
    static final String VARIABLE = "RUN_JAVA_PROFILE";

    /// It cannot be written, for want of space perhaps.
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
        StringBuilder text = new StringBuilder();
        text.append("# Measured by wallfinder fit, %s\n".formatted(calibration.name()));
        line(text, "classes", census.classes());
        line(text, "threads", calibration.life().threads());
        line(text, "live-mb", Math.ceil(census.liveBytes() / FitLife.MEGABYTE));
        line(text, "loaded-mb", Math.ceil(census.loadedBytes() / FitLife.MEGABYTE));
        line(text, "direct-mb", Math.ceil(census.directBytes() / FitLife.MEGABYTE));
        return text.toString();
    }

    /// What is outside of the heap, as a whole: it counts instead of the sum of its parts.
    static String outside(double bytes) {
        StringBuilder text = new StringBuilder();
        line(text, "outside-mb", Math.ceil(bytes / FitLife.MEGABYTE));
        return text.toString();
    }

    /// What is not known is left for the script to guess.
    private static void line(StringBuilder text, String name, double value) {
        if (Double.isFinite(value)) {
            text.append(String.format(Locale.ROOT, "%s=%.0f\n", name, value));
        }
    }

    static void write(Path file, String text) {
        try {
            Files.writeString(file, text, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new NotKept(file, e);
        }
    }

    /// Gives one of them its name in an image.
    static void copy(Path folder, String name) {
        Path file = folder.resolve(FILE);
        try {
            Files.copy(folder.resolve(name), file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new NotKept(file, e);
        }
    }
}

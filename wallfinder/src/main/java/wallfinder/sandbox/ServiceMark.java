package wallfinder.sandbox;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// A variable in the environment of every service, by which its descendants are found again where
/// no cgroup holds them.
final class ServiceMark {
    static final String VARIABLE = "WALLFINDER_SERVICE";

    private ServiceMark() {}

    static String value(String runId, String service) {
        return runId + "/" + service;
    }

    /// The start of the marks of all services of a run.
    static String ofRun(String runId) {
        return VARIABLE + "=" + runId + "/";
    }

    /// The whole mark of one service.
    static String ofService(String value) {
        return VARIABLE + "=" + value + "\0";
    }

    /// Whether a process of `/proc` has a mark that starts so.
    static boolean isOn(Path process, String mark) {
        try (FileInputStream in = new FileInputStream(process.resolve("environ").toFile())) {
            String environment = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            return environment.startsWith(mark) || environment.contains("\0" + mark);
        } catch (IOException e) {
            return false; // it has ended, or it is somebody else's
        }
    }
}

package wallfinder.sandbox;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// An environment variable of every service. It identifies the service's descendants on a host
/// without cgroups.
final class ServiceMark {
    static final String VARIABLE = "WALLFINDER_SERVICE";

    private ServiceMark() {}

    static String value(String runId, String service) {
        return runId + "/" + service;
    }

    /// The common prefix of the marks of all services of a run.
    static String ofRun(String runId) {
        return VARIABLE + "=" + runId + "/";
    }

    /// The whole mark of one service.
    static String ofService(String value) {
        return VARIABLE + "=" + value + "\0";
    }

    /// Whether the environment of a process in `/proc` contains a mark with this prefix.
    static boolean isOn(Path process, String mark) {
        try (FileInputStream in = new FileInputStream(process.resolve("environ").toFile())) {
            String environment = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            return environment.startsWith(mark) || environment.contains("\0" + mark);
        } catch (IOException e) {
            return false; // it has ended, or belongs to another user
        }
    }
}

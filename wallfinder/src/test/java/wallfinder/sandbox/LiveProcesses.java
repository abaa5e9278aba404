package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import wallfinder.linux.KernelFile;

/// The processes of this host without zombies.
final class LiveProcesses {
    private LiveProcesses() {}

    static boolean alive(long pid) {
        try {
            String stat = KernelFile.read(Path.of("/proc", Long.toString(pid), "stat"));
            char state = stat.charAt(stat.lastIndexOf(')') + 2);
            return state != 'Z' && state != 'X';
        } catch (IOException e) {
            return false;
        }
    }

    /// The PIDs and command lines of processes with a run's mark.
    static List<String> marked(String runId) {
        List<String> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : all) {
                long pid = Long.parseLong(process.getFileName().toString());
                if (ServiceMark.isOn(process, ServiceMark.ofRun(runId)) && alive(pid)) {
                    found.add(pid + " " + commandLine(process));
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return found;
    }

    static String commandLine(Path process) {
        try {
            return KernelFile.read(process.resolve("cmdline")).replace('\0', ' ').strip();
        } catch (IOException e) {
            return "";
        }
    }
}

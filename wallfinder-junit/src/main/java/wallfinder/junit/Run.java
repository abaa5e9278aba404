package wallfinder.junit;

import java.nio.file.Path;
import java.util.List;

/// One run of the program.
///
/// @param command the command line
/// @param folder where the run left its files: `report.html`, `run.json` and others
/// @param trials in the order in which they ran
/// @param ended why the run ended; empty for a load
public record Run(String command, Path folder, List<Trial> trials, String ended) {
    public Run {
        trials = List.copyOf(trials);
    }

    /// The page with all figures and pictures of the run.
    public Path report() {
        return folder.resolve("report.html");
    }
}

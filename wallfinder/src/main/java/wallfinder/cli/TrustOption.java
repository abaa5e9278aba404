package wallfinder.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.UsageException;
import wallfinder.lab.session.Programs;
import wallfinder.record.Harmless;

/// Asks before an experiment that this user has not run before starts its programs.
///
/// Without a terminal there is nobody to ask. The author of the script that starts Wallfinder has
/// chosen the file.
final class TrustOption {
    private static final Set<String> YES = Set.of("y", "yes");

    @Option(
            names = "--trust",
            description =
                    "Start the programs of a new experiment without asking. Without a terminal,"
                            + " nothing is asked either.")
    private boolean trusted;

    /// @param text the text of the file
    /// @param experiments what may run
    /// @throws UsageException if the user does not agree
    void ask(Path file, String text, List<Experiment> experiments) {
        if (file.toAbsolutePath().normalize().startsWith(Console.home())) {
            return;
        }
        boolean canAsk = Console.isTerminal(0) && Console.isTerminal(2);
        if (!trusted && !canAsk) {
            return;
        }
        TrustedFiles known = TrustedFiles.ofUser();
        if (known.contains(text)) {
            return;
        }
        if (!trusted) {
            System.err.print(question(file, experiments));
            System.err.flush();
            if (!YES.contains(answer())) {
                throw new UsageException(
                        file + " was not run",
                        "you did not answer y",
                        "read the file, and run the command again; --trust answers y");
            }
        }
        known.add(text);
    }

    private static String question(Path file, List<Experiment> experiments) {
        List<Programs.Started> programs = Programs.of(experiments);
        return "You have not confirmed this version of %s before. It starts:%n%s%nStart %s? [y/N] "
                .formatted(
                        Harmless.line(file.toString()),
                        programs.stream()
                                .map(program ->
                                        "  %s: %s%n    %s%n"
                                                .formatted(
                                                        Harmless.line(program.name()),
                                                        Harmless.line(program.facts()),
                                                        Harmless.line(program.command())))
                                .collect(Collectors.joining()),
                        programs.size() == 1 ? "it" : "them");
    }

    /// Nothing at the end of the input.
    private static String answer() {
        try {
            String line =
                    new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()))
                            .readLine();
            return line == null ? "" : line.strip().toLowerCase(Locale.ROOT);
        } catch (IOException e) {
            return "";
        }
    }
}

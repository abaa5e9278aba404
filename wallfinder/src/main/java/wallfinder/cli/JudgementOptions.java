package wallfinder.cli;

import picocli.CommandLine.Option;

/// How much is printed of a judgement.
final class JudgementOptions {
    @Option(
            names = "--why",
            description = "Print for each wall that was not named why it is ruled out or unknown.")
    boolean why;
}

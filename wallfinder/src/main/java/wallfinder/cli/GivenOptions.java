package wallfinder.cli;

import java.util.List;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import wallfinder.experiment.UsageException;

/// The options that the user gave, of those of a command or a part of it.
record GivenOptions(CommandSpec command, List<OptionSpec> of) {
    /// Refuses options that would have no effect on an experiment, whose load is in its file.
    ///
    /// @param kept the long names of the options that have one
    void refuseWithExperiment(Set<String> kept) {
        refuse(
                kept,
                "an experiment",
                "the load is what the file says",
                "change `load` in the file, or give a URL instead");
    }

    /// @param with what makes the other options useless
    /// @throws UsageException if there is one that is not kept
    void refuse(Set<String> kept, String with, String why, String todo) {
        command.commandLine().getParseResult().matchedOptions().stream()
                .filter(option -> of.contains(option) && !option.hidden())
                .map(OptionSpec::longestName)
                .filter(name -> !kept.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw new UsageException(
                            "%s cannot be used with %s".formatted(name, with), why, todo);
                });
    }
}

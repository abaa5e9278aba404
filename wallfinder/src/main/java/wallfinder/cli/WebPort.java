package wallfinder.cli;

import java.util.Stack;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/// The port after `--web`, which may be missing: what follows is the port only if it is a number.
final class WebPort implements IParameterConsumer {
    private static final int PORT_MAX = 65_535;

    @Override
    @SuppressWarnings("JdkObsolete") // picocli's own type
    public void consumeParameters(Stack<String> words, ArgSpec option, CommandSpec command) {
        if (words.isEmpty() || !words.peek().matches("\\d+")) {
            option.setValue(0);
            return;
        }
        String word = words.pop();
        if (word.length() > 5 || Integer.parseInt(word) > PORT_MAX) {
            throw new ParameterException(
                    command.commandLine(), "--web " + word + ": ports end at " + PORT_MAX);
        }
        option.setValue(Integer.parseInt(word));
    }
}

package wallfinder.sandbox;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import wallfinder.experiment.Nearest;
import wallfinder.experiment.Placeholders;
import wallfinder.experiment.UsageException;

/// Splits the command of an experiment at spaces outside quotes and fills in its `{placeholders}`.
/// No shell is involved.
public final class CommandLine {
    private CommandLine() {}

    /// Splits first and then fills in, so that a value with spaces stays one word.
    static List<String> words(String command, Map<String, String> names) {
        List<String> words = split(command).stream().map(word -> expand(word, names)).toList();
        if (words.isEmpty()) {
            throw new UsageException(
                    "there is no command to run", "it is empty", "write the program's name first");
        }
        return words;
    }

    static String expand(String text, Map<String, String> names) {
        for (String name : Placeholders.names(text)) {
            if (!names.containsKey(name)) {
                throw new UsageException(
                        "there is no {" + name + "}",
                        "\"" + text + "\" uses it",
                        Nearest.advice(name, names.keySet()));
            }
        }
        return Placeholders.fill(text, names);
    }

    /// The words of a command. Single quotes keep everything, double quotes everything except a
    /// backslash, and a backslash keeps the next character.
    public static List<String> split(String command) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean inWord = false;
        char quote = 0;
        for (int i = 0; i < command.length(); i++) {
            char c = command.charAt(i);
            if (c == '\\' && quote != '\'' && i + 1 < command.length()) {
                word.append(command.charAt(++i));
                inWord = true;
            } else if (quote != 0 ? c == quote : c == '"' || c == '\'') {
                quote = quote != 0 ? 0 : c;
                inWord = true;
            } else if (quote == 0 && Character.isWhitespace(c)) {
                if (inWord) {
                    words.add(word.toString());
                }
                word.setLength(0);
                inWord = false;
            } else {
                word.append(c);
                inWord = true;
            }
        }
        if (quote != 0) {
            throw new UsageException(
                    "the command \"" + command + "\" cannot be split into words",
                    "a quote " + quote + " is not closed",
                    "close it, or write a backslash before it");
        }
        if (inWord) {
            words.add(word.toString());
        }
        return words;
    }
}

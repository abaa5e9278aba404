import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/// Writes the manual page and the completions for bash and zsh from the options that the program itself reads.
/// `bin/package` runs it: `java ... Manual.java FOLDER DATE`.
final class Manual {
    private static final int COLUMNS = 79;

    private static final String ZSH =
            """
            #compdef wallfinder
            # Uses the completion for bash, which is in the same share folder.
            # zsh has no compopt, which only sets details there.
            (( $+functions[compopt] )) || compopt() { :; }
            autoload -U +X bashcompinit && bashcompinit
            . "${${(%):-%x}:A:h}/../../bash-completion/completions/wallfinder"
            _bash_complete -o default -F _complete_wallfinder
            """;

    private final StringBuilder page = new StringBuilder();

    public static void main(String[] arguments) throws Exception {
        Path share = Path.of(arguments[0]);
        Method options = Class.forName("wallfinder.cli.Main").getDeclaredMethod("commandLine", String[].class);
        options.setAccessible(true);
        CommandLine main = (CommandLine) options.invoke(null, (Object) new String[0]);
        write(share.resolve("man/man1/wallfinder.1"), new Manual().page(main.getCommandSpec(), arguments[1]));
        // The first line names a shell, but the file is only read by one.
        String completion = AutoComplete.bash("wallfinder", main).replaceFirst("\\A#!.*\n", "");
        write(share.resolve("bash-completion/completions/wallfinder"), completion);
        write(share.resolve("zsh/site-functions/_wallfinder"), ZSH);
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private String page(CommandSpec main, String date) {
        line(".TH WALLFINDER 1 " + date);
        line(".SH NAME");
        text("wallfinder - names the limit at which a network service stops");
        line(".SH SYNOPSIS");
        line(".B wallfinder");
        line(".I COMMAND");
        text("[OPTIONS]");
        line(".SH DESCRIPTION");
        paragraphs(main.usageMessage().description());
        line(".SH COMMANDS");
        main.subcommands().values().forEach(command -> command(command.getCommandSpec()));
        line(".SH EXIT STATUS");
        main.usageMessage().exitCodeList().forEach((code, meaning) -> tagged("\\fB" + code + "\\fR", meaning));
        line(".SH ENVIRONMENT");
        tagged(
                "\\fBWALLFINDER_CACHE\\fR",
                "The folder for the cache of the JVM, which the first start makes (default: wallfinder in"
                        + " $XDG_CACHE_HOME or ~/.cache). If it is empty, no cache is made or used, and each start takes"
                        + " longer.");
        line(".SH SEE ALSO");
        text("The manual is in the folder docs of the installation, on Debian /usr/share/doc/wallfinder/docs.");
        return page.toString();
    }

    private void command(CommandSpec command) {
        String name = command.qualifiedName();
        line(".SS " + escaped(name + parameters(command)));
        paragraphs(command.usageMessage().description());
        for (PositionalParamSpec parameter : command.positionalParameters()) {
            if (!parameter.hidden()) {
                tagged("\\fI" + escaped(parameter.paramLabel()) + "\\fR", description(parameter));
            }
        }
        for (OptionSpec option : command.options()) {
            if (!option.hidden() && !option.versionHelp()) {
                tagged(names(option), description(option));
            }
        }
        command.subcommands().values().forEach(sub -> command(sub.getCommandSpec()));
    }

    private static String parameters(CommandSpec command) {
        StringBuilder labels = new StringBuilder();
        for (PositionalParamSpec parameter : command.positionalParameters()) {
            boolean optional = parameter.arity().min() == 0;
            labels.append(optional ? " [" : " ").append(parameter.paramLabel()).append(optional ? "]" : "");
        }
        return labels.toString();
    }

    private static String names(OptionSpec option) {
        List<String> names = new ArrayList<>();
        for (String name : option.names()) {
            names.add("\\fB" + escaped(name) + "\\fR");
        }
        boolean value = option.arity().max() > 0;
        return String.join(", ", names) + (value ? " \\fI" + escaped(option.paramLabel()) + "\\fR" : "");
    }

    private static String description(ArgSpec argument) {
        List<String> lines = new ArrayList<>();
        for (String line : argument.description()) {
            lines.add(plain(line));
        }
        return String.join("\n", lines);
    }

    private static String plain(String line) {
        return line.replace("%n", "\n").replace("%%", "%");
    }

    private void paragraphs(String[] lines) {
        boolean first = true;
        for (String line : lines) {
            if (!line.isBlank()) {
                if (!first) {
                    line(".PP");
                }
                text(plain(line));
                first = false;
            }
        }
    }

    private void tagged(String tag, String description) {
        line(".TP");
        line(tag);
        text(description.isBlank() ? "\u00a0" : description);
    }

    /// One sentence a line, as roff likes it, and no long lines.
    private void text(String text) {
        for (String sentence : text.split("\\n|(?<=[a-z)]\\.) (?=[A-Z])")) {
            StringBuilder line = new StringBuilder();
            for (String word : sentence.strip().split(" +")) {
                String next = escaped(word);
                if (line.length() + next.length() >= COLUMNS) {
                    textLine(line);
                    line.setLength(0);
                }
                line.append(line.isEmpty() ? "" : " ").append(next);
            }
            textLine(line);
        }
    }

    /// A line that begins with one of these characters would be a command.
    private void textLine(StringBuilder line) {
        if (!line.isEmpty()) {
            boolean command = line.charAt(0) == '.' || line.charAt(0) == '\'';
            line(command ? "\\&" + line : line.toString());
        }
    }

    private void line(String line) {
        page.append(line).append('\n');
    }

    private static String escaped(String text) {
        return CommandLine.Help.Ansi.OFF
                .string(text)
                .replace("\\", "\\e")
                .replace("-", "\\-")
                .replace("\u00a0", "\\ ")
                .replace("~", "\\(ti")
                .replace("^", "\\(ha");
    }
}

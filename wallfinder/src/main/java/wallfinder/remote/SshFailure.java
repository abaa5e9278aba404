package wallfinder.remote;

import java.util.List;
import java.util.regex.Pattern;
import wallfinder.linux.EnvironmentException;

/// Turns what `ssh` prints into one error with the reason and a remedy.
final class SshFailure {
    /// @param sign what ssh prints
    /// @param why the reason in our words
    /// @param todo with the destination and the host as its arguments
    private record Known(Pattern sign, String why, String todo) {
        Known(String sign, String why, String todo) {
            this(Pattern.compile(sign, Pattern.CASE_INSENSITIVE), why, todo);
        }
    }

    /// The first that matches counts. A changed key also leads to the line of an unknown key.
    private static final List<Known> KNOWN =
            List.of(
                    new Known(
                            "HOST IDENTIFICATION HAS CHANGED",
                            "its host key is not the one in your known_hosts: the host was set up"
                                    + " anew, or somebody answers in its place",
                            "ask who runs the host for its new key; if it is right, remove the old"
                                    + " one (ssh-keygen -R %2$s) and run once: ssh %1$s"),
                    new Known(
                            "host key is known|Host key verification failed",
                            "its host key is not in your known_hosts, so nobody knows whether it is"
                                    + " the right host",
                            "run once, and compare the key that it shows: ssh %s"),
                    new Known(
                            "Permission denied|Too many authentication failures|No supported"
                                    + " authentication",
                            "it accepts none of your keys, and Wallfinder never asks for a password",
                            "make this work without a question, by ssh-copy-id or ssh-add: ssh -o"
                                    + " BatchMode=yes %s true"),
                    new Known(
                            "Could not resolve hostname",
                            "no address is known for that name",
                            "correct the name, or add it to ~/.ssh/config: ssh %s"),
                    new Known(
                            "Connection refused",
                            "nothing listens on its port for ssh",
                            "start sshd there, or set the Port in ~/.ssh/config: ssh %s"),
                    new Known(
                            "timed out|No route to host|Network is unreachable|not responding",
                            "the host does not answer",
                            "check the address, the network and its firewall: ssh %s"),
                    new Known(
                            "Bad configuration option|terminating, \\d+ bad configuration",
                            "your ssh configuration has an error",
                            "see what it prints, and correct ~/.ssh/config: ssh %s"));

    private SshFailure() {}

    /// @param printed what ssh wrote to its standard error
    static EnvironmentException of(SshTarget target, String printed) {
        String what = "there is no connection to " + target;
        for (Known known : KNOWN) {
            if (known.sign().matcher(printed).find()) {
                return new EnvironmentException(
                        what,
                        known.why() + quoted(printed),
                        known.todo().formatted(target.destination(), target.host()));
            }
        }
        return new EnvironmentException(
                what,
                "ssh ended" + quoted(printed),
                "make this work without a question: ssh -o BatchMode=yes %s true"
                        .formatted(target.destination()));
    }

    static EnvironmentException noProgram(SshTarget target) {
        return new EnvironmentException(
                "there is no connection to " + target,
                "the program ssh is not installed on this host",
                "install OpenSSH's client (Debian, Ubuntu: apt-get install openssh-client)");
    }

    /// The last line that says something.
    private static String quoted(String printed) {
        String last = lastLine(printed);
        return last.isEmpty() ? "" : " (" + last + ")";
    }

    static String lastLine(String printed) {
        return printed.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .reduce((before, last) -> last)
                .map(line -> line.endsWith(".") ? line.substring(0, line.length() - 1) : line)
                .orElse("");
    }
}

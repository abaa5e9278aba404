package wallfinder.remote;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import wallfinder.linux.EnvironmentException;

/// The copy of this program on another host: in the user's cache there, in a folder for each
/// content. A copy appears whole or not at all, because it gets its name last.
public final class RemoteProgram {
    /// `$a` is the folder of all copies.
    private static final String FOLDER = "a=${XDG_CACHE_HOME:-$HOME/.cache}/wallfinder/agents; ";

    /// What ssh itself returns if the connection ends.
    private static final int LOST = 255;

    private static final int UNUSED_DAYS_MAX = 7;
    private static final Duration LOOK_MAX = Duration.ofSeconds(20);
    private static final Duration COPY_END_MAX = Duration.ofMinutes(5);

    /// The processors of both hosts, by `uname -m` and by Java.
    private static final Map<String, String> PROCESSORS =
            Map.of("x86_64", "amd64", "aarch64", "aarch64");

    private final SshLink link;
    private final ProgramFolder program;
    private final String checksum;

    private RemoteProgram(SshLink link, ProgramFolder program) {
        this.link = link;
        this.program = program;
        this.checksum = program.checksum();
    }

    /// What this class has to know of the host.
    public static final String QUESTIONS =
            FOLDER
                    + "echo os=$(uname -s); echo cpu=$(uname -m); echo tar=$(command -v tar); "
                    + "echo gzip=$(command -v gzip); echo name=$(uname -n); echo agents=$a; "
                    + "set -- $SSH_CONNECTION; echo address=$3";

    /// Called before a copy, which takes some seconds.
    public interface Copying {
        void begins();
    }

    /// @param link with the answers to [#QUESTIONS]
    /// @throws EnvironmentException if the program cannot run or be copied there
    public static RemoteProgram on(SshLink link, ProgramFolder program, Copying copying) {
        checkHost(link);
        RemoteProgram remote = new RemoteProgram(link, program);
        if (remote.arrives(copying)) {
            remote.removeOld();
        }
        return remote;
    }

    /// Copies other files of this program, beside the program.
    ///
    /// @return the folder that has them
    /// @throws EnvironmentException if they cannot be copied there
    public String with(ProgramFolder files, Copying copying) {
        RemoteProgram others = new RemoteProgram(link, files);
        others.arrives(copying);
        return link.fact("agents") + "/" + others.checksum;
    }

    /// @return whether the copy was missing
    private boolean arrives(Copying copying) {
        boolean missing = !isThere();
        if (missing) {
            copying.begins();
            copy();
        }
        return missing;
    }

    /// The time of the folder is that of its last use.
    private boolean isThere() {
        SshLink.Program look =
                link.start(
                        FOLDER
                                + "[ -e \"$a/%1$s/%2$s\" ] && touch \"$a/%1$s\""
                                        .formatted(checksum, program.lastPart()));
        Integer code = SshLink.await(look.process(), LOOK_MAX);
        return code != null && code == 0;
    }

    private static void checkHost(SshLink link) {
        String what = "Wallfinder cannot run on " + link.target();
        String os = link.fact("os");
        String cpu = link.fact("cpu");
        String own = System.getProperty("os.arch", "");
        if (!os.equals("Linux")) {
            throw new EnvironmentException(
                    what,
                    "its system is " + os + ", and Wallfinder needs Linux",
                    "name another host");
        }
        if (!own.equals(PROCESSORS.get(cpu))) {
            throw new EnvironmentException(
                    what,
                    "its processor is %s, and this Wallfinder is for %s".formatted(cpu, own),
                    "install Wallfinder there, run watch on it, and give its file to --peer");
        }
        if (link.fact("tar").isEmpty() || link.fact("gzip").isEmpty()) {
            throw new EnvironmentException(
                    what, "it has no tar or no gzip, which unpack the copy", "install both there");
        }
    }

    /// The checks find an archive that was cut at any byte: gzip fails, or tar, or the last file is
    /// missing.
    private void copy() {
        String unpack =
                "umask 077; mkdir -p \"$a\" && p=$a/.part-$$ && rm -rf \"$p\" && mkdir \"$p\" && cd \"$p\""
                        + " || exit 1; trap \"cd /; rm -rf \\\"$p\\\"\" EXIT; trap \"exit 1\" HUP INT TERM PIPE; "
                        + "{ gzip -dc || : >cut; } | tar -xof - && [ ! -e cut ] && [ -e "
                        + program.lastPart()
                        + " ] && find . -type f -exec sync {} + && { [ -e \"$a/"
                        + checksum
                        + "\" ] || mv \"$p\" \"$a/"
                        + checksum
                        + "\"; }";
        SshLink.Program there = link.start(FOLDER + unpack);
        boolean sent = true;
        try (OutputStream out = there.process().getOutputStream()) {
            program.archiveTo(out);
        } catch (IOException e) {
            sent = false; // the other side has ended; it says why
        }
        Integer code = SshLink.await(there.process(), COPY_END_MAX);
        if (!sent || code == null || code != 0) {
            throw notCopied(link.printed(there));
        }
    }

    /// Removes the copies that nothing has used for a week. A running one has its lock; that of
    /// other files has none. It does not matter whether this succeeds.
    private void removeOld() {
        String remove =
                "for d in \"$a\"/*/; do [ \"$d\" = \"$a/%1$s/\" ] || [ -z \"$(find \"$d\" -maxdepth 0 -mtime +%2$d)\" ] || { [ ! -e \"${d}%3$s\" ] && rm -rf \"$d\"; } || flock -n \"${d}%3$s\" rm -rf \"$d\"; done"
                        .formatted(checksum, UNUSED_DAYS_MAX - 1, program.lastPart());
        SshLink.Program removal = link.start(FOLDER + remove);
        SshLink.await(removal.process(), COPY_END_MAX);
    }

    private EnvironmentException notCopied(String printed) {
        String folder = link.fact("agents");
        boolean full = printed.contains("No space left") || printed.contains("quota exceeded");
        String line =
                printed.lines()
                        .filter(one -> full && one.contains("No space left"))
                        .findFirst()
                        .orElse(SshFailure.lastLine(printed));
        return new EnvironmentException(
                "Wallfinder cannot be copied to %s on %s".formatted(folder, link.target()),
                full
                        ? "its disk is full (" + line + ")"
                        : line.isEmpty() ? "the connection ended" : line,
                full
                        ? "free 150 MB there; wallfinder agents clean %s removes old copies"
                                .formatted(link.target())
                        : "make that folder writable for the user, or set XDG_CACHE_HOME there");
    }

    /// Starts a command of the copy. It makes no cache of the JVM there: that would cost the host
    /// some seconds of CPU time. The process has a descriptor with the lock of its copy, so the
    /// kernel unlocks it when the process ends.
    public SshLink.Program start(String command) {
        return start("", command);
    }

    /// The same, with a cache of the JVM beside the copy: the first start takes some seconds
    /// longer, and the first requests of a load are not late.
    public SshLink.Program startCached(String command) {
        return start("\"$a/%s/cache\"".formatted(checksum), command);
    }

    private SshLink.Program start(String cache, String command) {
        return link.start(
                FOLDER
                        + "exec 9<\"$a/%1$s/%2$s\"; flock -s 9 2>/dev/null; "
                                .formatted(checksum, program.lastPart())
                        + "WALLFINDER_CACHE=%s exec \"$a/%s/bin/wallfinder\" %s"
                                .formatted(cache, checksum, command));
    }

    /// A command that has ended.
    ///
    /// @param code its exit code
    /// @param result the file that it wrote; empty without one
    /// @param errors the end of what it wrote to the standard error
    public record Ended(int code, String result, String errors) {}

    /// Runs a command of the copy, without what it prints.
    ///
    /// @param option names the file for its result
    public Ended run(List<String> command, String option) throws IOException {
        StringBuilder words = new StringBuilder();
        command.forEach(word -> words.append(SshLink.quoted(word)).append(' '));
        // A file in the folder of the copies, which is private. $PPID would be another one each
        // time.
        String place = "$a/.result-%d".formatted(ProcessHandle.current().pid());
        SshLink.Program program = start(words + "%s=\"%s\"".formatted(option, place));
        program.process().getOutputStream().close();
        program.process().getInputStream().transferTo(OutputStream.nullOutputStream());
        Integer code = SshLink.await(program.process(), COPY_END_MAX);
        SshLink.Program cat =
                link.start(FOLDER + "cat \"%s\"; rm -f \"%s\"".formatted(place, place));
        byte[] bytes = cat.process().getInputStream().readAllBytes();
        String result = new String(bytes, StandardCharsets.UTF_8);
        return new Ended(code == null ? LOST : code, result, link.printed(program));
    }

    /// Commands of a POSIX shell that remove all copies of the user, except those in which an agent
    /// is at work: it has the lock of its copy. They print one line: how many were removed, their
    /// size in KiB, how many remain, and the folder.
    public static final String REMOVAL =
            FOLDER
                    + "removed=0; kept=0; size=$(du -sk \"$a\" 2>/dev/null | cut -f1); "
                    + "for d in \"$a\"/*/; do [ -e \"$d\" ] || continue; f=${d}"
                    + ProgramFolder.LAST_PART
                    + "; if [ -e \"$f\" ] && command -v flock >/dev/null; "
                    + "then flock -n \"$f\" rm -rf \"$d\"; else rm -rf \"$d\"; fi; "
                    + "if [ -e \"$d\" ]; then kept=$((kept+1)); else removed=$((removed+1)); fi; done; "
                    + "[ $kept -gt 0 ] || rm -rf \"$a\"; "
                    + "echo \"$removed ${size:-0} $kept $a\"";
}

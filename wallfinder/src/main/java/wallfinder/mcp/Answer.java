package wallfinder.mcp;

import java.util.LinkedHashMap;
import java.util.Map;
import wallfinder.experiment.UsageException;
import wallfinder.linux.EnvironmentException;
import wallfinder.record.Harmless;

/// What the caller of a tool gets.
///
/// @param failed whether the tool could not do its work
/// @param text what the command prints in a terminal
/// @param content the same as data
record Answer(boolean failed, String text, Map<String, Object> content) {
    private static final String ERROR = "wallfinder: ";

    /// The exit codes that docs/results.md documents, and 143 after SIGTERM.
    private enum Outcome {
        DONE("done"),
        MISSED("the objective was missed, or the plan does not fit"),
        INVALID("invalid: the generator was the limit, or nothing can be compared"),
        INTERRUPTED("interrupted: this is what was measured so far"),
        FAILED("failed");

        private final String text;

        Outcome(String text) {
            this.text = text;
        }

        static Outcome of(int code) {
            return switch (code) {
                case 0 -> DONE;
                case 1 -> MISSED;
                case 4 -> INVALID;
                case 130, 143 -> INTERRUPTED;
                default -> FAILED;
            };
        }
    }

    static Answer of(Call.Ended ended, Tool.Plan plan) {
        if (ended.code() < 0) {
            return new Answer(false, "cancelled before it began", Map.of());
        }
        Outcome outcome = Outcome.of(ended.code());
        boolean failed = outcome == Outcome.FAILED;
        Map<String, Object> content = new LinkedHashMap<>();
        content.put("exitCode", ended.code());
        content.put("outcome", outcome.text);
        if (!ended.json().isEmpty()) {
            content.put("result", Excerpt.of(ended.json()));
        }
        String text = failed ? error(ended.err()) : ended.out();
        return new Answer(failed, text + interruption(ended, plan), content);
    }

    private static String interruption(Call.Ended ended, Tool.Plan plan) {
        if (ended.overdue()) {
            return "%nInterrupted: it took longer than %d s, the limit of this server%n"
                    .formatted(plan.limit().toSeconds());
        }
        return ended.cancelled() ? "%nInterrupted: the call was cancelled%n".formatted() : "";
    }

    /// The error at the end of the progress, or all of it.
    private static String error(String err) {
        int begin = err.startsWith(ERROR) ? 0 : err.lastIndexOf("\n" + ERROR) + 1;
        return err.isBlank()
                ? failure(
                        "the command ended without a message",
                        "the kernel may have killed it for memory",
                        "look at the kernel's log (dmesg)")
                : err.substring(begin);
    }

    static Answer refused(UsageException problem) {
        return failed(problem.what(), problem.why(), problem.todo());
    }

    static Answer refused(EnvironmentException problem) {
        return failed(problem.what(), problem.why(), problem.todo());
    }

    static Answer failed(String what, String why, String todo) {
        Map<String, Object> content = new LinkedHashMap<>();
        content.put("outcome", Outcome.FAILED.text);
        content.put("what", Harmless.line(what));
        content.put("why", Harmless.line(why));
        content.put("whatToDo", Harmless.line(todo));
        return new Answer(true, failure(what, why, todo), content);
    }

    private static String failure(String what, String why, String todo) {
        return Harmless.lines(
                "%s%s\n  why:        %s\n  what to do: %s\n".formatted(ERROR, what, why, todo));
    }
}

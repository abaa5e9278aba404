package wallfinder.report;

import wallfinder.record.Harmless;
import wallfinder.record.RunRecord;

/// The outputs of a step of GitHub Actions: a line each.
public final class GitHubOutputs {
    private GitHubOutputs() {}

    public static String text(RunRecord run, String folder) {
        Finding main = Finding.main(run);
        return line("verdict", main == null ? "" : main.verdict())
                + line("wall", main == null ? "" : main.wall())
                + line("rate", main == null ? "" : Finding.plain(main.perSecond(), ""))
                + line("run-folder", folder);
    }

    private static String line(String name, String value) {
        return name + "=" + Harmless.line(value) + "\n";
    }
}

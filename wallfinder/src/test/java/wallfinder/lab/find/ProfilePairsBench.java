package wallfinder.lab.find;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import wallfinder.diagnosis.ProfileChange;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Setting;
import wallfinder.lab.PlantedRun;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.SandboxTrialRunner;
import wallfinder.lab.trial.TrialHosts;
import wallfinder.lab.trial.WarmUp;

/// Compares profiles of a service with itself, and with one that has a dearer method.
final class ProfilePairsBench {
    private static final Setting MORE = new Setting.OfKnob("web", "more");
    private static final int WRONG_ONE_IN = 20;
    private static final WarmUp WARM_UP = WarmUp.likelyBelow(2);

    private ProfilePairsBench() {}

    /// @param arguments the number of comparisons with itself, and with the dearer method
    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("profile-change-");
        try (PlantedRun run = new PlantedRun(folder)) {
            Path classes = PlantedRun.compiled("CostlyServer.java", folder.resolve("classes"));
            Experiment experiment =
                    run.experiment(
                            """
                            services:
                              web:
                                command: >-
                                  {jvm}/bin/java -XX:CompileCommand=dontinline,CostlyServer::*
                                  -cp %s CostlyServer 8080 400 {more}
                                ready: tcp://{server}:8080
                                knobs: { more: { value: 0, moves: cpu } }
                            load: { url: "http://{server}:8080/", connections: 2, warmup: 3s, duration: 2s }
                            """
                                    .formatted(classes));
            int same = Integer.parseInt(arguments[0]);
            int dearer = Integer.parseInt(arguments[1]);
            int missed = compare("10 % more", 10, dearer, experiment, run);
            int wrong = compare("itself", 0, same, experiment, run);
            System.out.printf("%d of %d wrong, %d of %d missed%n", wrong, same, missed, dearer);
            System.exit(WRONG_ONE_IN * wrong > same || missed > 0 ? 1 : 0);
        }
    }

    /// @return how many comparisons reported what is not there, or did not report what is there
    private static int compare(
            String label, int more, int times, Experiment before, PlantedRun run) {
        int notRight = 0;
        for (int i = 1; i <= times; i++) {
            RunContext context = run.context();
            ProfileChange change =
                    new ProfilePairs(
                                    new SandboxTrialRunner(TrialHosts.here(context)),
                                    context.interruption(),
                                    context.progress(),
                                    new ArrayList<>())
                            .measure(before, before.with(MORE, "" + more), 2, WARM_UP, "comparison")
                            .orElseThrow();
            List<ProfileChange.Method> different = change.different();
            boolean right =
                    more == 0
                            ? different.isEmpty()
                                    && change.parts().stream().noneMatch(p -> p.micros().differs())
                            : !different.isEmpty()
                                    && different.getFirst().name().equals("CostlyServer.sign");
            notRight += right ? 0 : 1;
            System.out.printf(Locale.ROOT, "%s %d: %s%n", label, i, right ? "right" : "wrong");
            print("an answer", change.cpu());
            change.parts().forEach(p -> print(p.name(), p.micros()));
            change.methods().forEach(m -> print(m.name(), m.self()));
        }
        return notRight;
    }

    private static void print(String name, ProfileChange.Micros micros) {
        System.out.printf(
                Locale.ROOT,
                "  %-50s %8.2f %8.2f  %+7.2f to %+7.2f%s%n",
                name,
                micros.before(),
                micros.after(),
                micros.low(),
                micros.high(),
                micros.differs() ? " differs" : "");
    }
}

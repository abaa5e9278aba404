package wallfinder.lab;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import wallfinder.diagnosis.Budget;

/// Measures services whose answers spend known times, and prints how far each part of their budgets
/// is off.
final class BudgetErrors {
    /// The aim: a part is off by no more than the larger of both.
    private static final double OFF_SHARE_MAX = 0.15;

    private static final double OFF_MILLIS_MAX = 0.5;

    /// The aim for a service in which every part can be seen.
    private static final double EXPLAINED_MIN = 0.9;

    /// The server itself runs for each answer, too.
    private static final String RUN = "run";

    private final PrintStream out;
    private int parts;
    private int off;
    private int unexplained;

    private BudgetErrors(PrintStream out) {
        this.out = out;
    }

    /// @param arguments the folder of the project, and the name of one service or nothing
    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("wallfinder-budget-");
        RaisedPriority.raiseChildren();
        BudgetErrors errors = new BudgetErrors(System.out);
        try {
            String go = new CataloguePrograms(folder).goServer().toString();
            String nginx = Nginx.service(folder, 8081, "proxy_pass http://127.0.0.1:9090;");
            errors.out.println("| service | part | known, ms | alone | known, ms | loaded |");
            errors.out.println("|---|---|---|---|---|---|");
            for (KnownBudget known : KnownBudget.all(nginx, go)) {
                if (arguments.length == 1 || known.name().contains(arguments[1])) {
                    try (PlantedRun run = new PlantedRun(Path.of(arguments[0]), folder)) {
                        errors.print(known, known.measured(run), known.measuredIdle(run));
                    }
                }
            }
        } finally {
            BenchFolder.delete(folder);
        }
        System.exit(errors.ended());
    }

    private void print(KnownBudget known, Budget budget, Optional<Budget> idle) {
        Map<String, Double> keys = new TreeMap<>(known.alone());
        keys.putAll(known.loaded());
        for (String key : keys.keySet()) {
            out.printf(
                    "| %s | %s | %s | %s |%n",
                    known.name(),
                    key,
                    cells(known.alone().get(key), budget.alone(), idle.map(Budget::alone), key),
                    cells(known.loaded().get(key), budget.loaded(), idle.map(Budget::loaded), key));
        }
        double share = budget.loaded().explainedShare();
        out.printf("| %s | explained | | | | %.0f %% |%n", known.name(), 100 * share);
        if (known.explained() && share < EXPLAINED_MIN) {
            unexplained++;
        }
        out.flush();
    }

    private String cells(
            Double millis, Budget.Parts measured, Optional<Budget.Parts> idle, String key) {
        if (measured == null) {
            return "- | not measured";
        }
        double is = measured.micros(key) / 1e3;
        if (millis == null) {
            return "- | %.2f".formatted(is);
        }
        double own = key.equals(RUN) ? idle.orElseThrow().micros(key) / 1e3 : 0;
        parts++;
        double most = Math.max(OFF_MILLIS_MAX, OFF_SHARE_MAX * millis);
        boolean wrong = Math.abs(is - millis - own) > most;
        off += wrong ? 1 : 0;
        String and = own == 0 ? "" : " + %.2f".formatted(own);
        return "%.1f%s | %.2f%s".formatted(millis, and, is, wrong ? " **off**" : "");
    }

    private int ended() {
        out.printf(
                "%d of %d parts within 15 %% or 0.5 ms; %d services less explained than 90 %%%n",
                parts - off, parts, unexplained);
        return off == 0 && unexplained == 0 ? 0 : 1;
    }
}

package wallfinder.report;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.Missing;
import wallfinder.diagnosis.Wall;
import wallfinder.record.NumberText;

/// The walls that a verdict does not name.
final class OtherWalls {
    private OtherWalls() {}

    /// @param why whether each wall gets a line with its reason
    static void write(Diagnosis diagnosis, boolean why, PlainText lines) {
        Map<Missing, List<String>> unknown = new EnumMap<>(Missing.class);
        int ruledOut = 0;
        for (Judgement.NotBinding other : diagnosis.ruledOut()) {
            if (why) {
                lines.add("  not " + other.wall().id().word() + ": ", other.because());
            } else if (other instanceof Judgement.Unknown(Wall wall, Missing missing, String _)) {
                unknown.computeIfAbsent(missing, _ -> new ArrayList<>()).add(wall.id().word());
            } else if (other instanceof Judgement.Clear) {
                ruledOut++; // a wall that is near is among the doubts
            }
        }
        if (ruledOut > 0) {
            String other = diagnosis.headline() == null ? "" : "other ";
            lines.add(
                    "  ",
                    NumberText.plural(ruledOut, other + "wall", other + "walls")
                            + " ruled out (--why lists them)");
        }
        unknown.forEach((missing, walls) ->
                lines.add(
                        "  unknown: ",
                        "%s: %s. To judge %s, %s."
                                .formatted(
                                        String.join(", ", walls),
                                        missing.reason(),
                                        walls.size() == 1 ? "it" : "them",
                                        missing.advice())));
    }
}

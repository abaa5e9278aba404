package wallfinder.junit;

import java.util.List;
import java.util.stream.Collectors;

/// What `find` found.
///
/// @param trial the trial at the first wall
/// @param ladder the walls in the order in which they were met
public record FindResult(Run run, Trial trial, List<Rung> ladder) implements Result {
    public FindResult {
        ladder = List.copyOf(ladder);
    }

    @Override
    public String figures() {
        return ladder.isEmpty()
                ? trial.figures()
                : ladder.stream().map(FindResult::line).collect(Collectors.joining("; "));
    }

    private static String line(Rung rung) {
        String at = rung.wall() == null ? "no wall" : Words.of(rung.wall());
        Rung.Remedy remedy = rung.remedy();
        return at
                + " at "
                + Figures.rate(rung.goodPerSecond())
                + "/s"
                + (remedy == null
                        ? ""
                        : ", moved by %s %s -> %s: %.2f times"
                                .formatted(
                                        remedy.setting(), remedy.from(), remedy.to(), rung.gain()));
    }
}

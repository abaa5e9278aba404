package wallfinder.lab.study;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Matrix;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.End;

/// The kernel settings in which the cells of a matrix differ. Where Wallfinder cannot change them,
/// such cells would all have the host's value, and a comparison of them would compare nothing.
///
/// @param names as `END.NAME`, which is the subject of the doubts about them
record VariedSysctls(Set<String> names) {
    static VariedSysctls of(Matrix matrix) {
        Set<String> names = new HashSet<>();
        for (End end : new End[] {End.SERVER, End.CLIENT}) {
            everywhere(matrix, end)
                    .filter(name -> everyValue(matrix, end, name).distinct().count() > 1)
                    .forEach(name -> names.add(end.word() + "." + name));
        }
        return new VariedSysctls(Set.copyOf(names));
    }

    private static Stream<String> everywhere(Matrix matrix, End end) {
        return matrix.cells().stream()
                .flatMap(cell ->
                        cell.experiment().sandbox().sysctls(end == End.SERVER).keySet().stream());
    }

    private static Stream<String> everyValue(Matrix matrix, End end, String name) {
        return matrix.cells().stream()
                .map(cell ->
                        cell.experiment()
                                .sandbox()
                                .sysctls(end == End.SERVER)
                                .getOrDefault(name, ""));
    }

    /// Why a trial did not have the settings of its cell; null if it had them.
    @Nullable String missing(Iterable<Caveat> caveats) {
        for (Caveat caveat : caveats) {
            boolean other = caveat.is(Doubt.SYSCTL_NOT_APPLIED) || caveat.is(Doubt.SYSCTL_HIDDEN);
            if (other
                    && caveat instanceof Caveat.Raised raised
                    && raised.subject() != null
                    && names.contains(raised.subject())) {
                return raised.advice();
            }
        }
        return null;
    }
}

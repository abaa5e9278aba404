package wallfinder.live;

import java.util.List;

/// The part of a run that several measurements belong to: a climb, the pairs of a remedy, the cells
/// of a study.
///
/// @param text such as `climb 1`, or `testing backlog 128 -> 4096: pair 2 of at most 5`
/// @param reached the levels of a climb so far
public record Step(String text, Planned time, List<Reached> reached) {
    /// A level of a climb that was measured.
    ///
    /// @param wall the wall that bound there, or an empty string
    public record Reached(int connections, double perSecond, String wall) {}

    public Step(String text, Planned time) {
        this(text, time, List.of());
    }
}

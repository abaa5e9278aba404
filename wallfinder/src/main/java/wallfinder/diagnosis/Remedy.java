package wallfinder.diagnosis;

import java.util.List;

/// What would move a wall in the sandbox. Several changes belong to one remedy when the least of
/// several settings counts, as with a listener's backlog and `net.core.somaxconn`.
///
/// @param changes at least one; the first is the one it is named by
/// @param price what it costs
public record Remedy(List<Change> changes, String price) {
    /// `backlog 128 -> 4096, net.core.somaxconn 128 -> 4096`.
    public String told() {
        return String.join(
                ", ",
                changes.stream()
                        .map(c -> c.setting().name() + " " + c.from() + " -> " + c.to())
                        .toList());
    }
}

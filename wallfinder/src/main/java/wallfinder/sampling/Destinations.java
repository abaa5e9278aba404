package wallfinder.sampling;

import java.util.List;

/// The destinations that a service has connections to, as they were counted last. Each has a name,
/// such as `10.0.0.7:5432`.
interface Destinations {
    /// The names of those with the most connections, the first of them with the most.
    List<String> most(int limit);

    int connected(String name);

    /// The connections that wait for an answer, or the mean number of them if a part stands for
    /// all.
    double busy(String name);

    /// Part of the name of their columns while they have no name of their own.
    String kind();

    /// The connections to a destination that was not seen yet: zero, or `NaN` if it may be one that
    /// is not recognised yet.
    double unseen();
}

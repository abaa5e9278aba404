package wallfinder.observation;

/// A reason to doubt a figure, with what to do about it. Doubt is data: it reaches the terminal and
/// `run.json`.
///
/// @param id a short name in kebab case, such as `no-namespaces`
/// @param advice a sentence or two: what is doubtful, and what would mend it
public record Caveat(String id, String advice) {}

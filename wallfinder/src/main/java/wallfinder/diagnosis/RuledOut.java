package wallfinder.diagnosis;

/// A wall that it is not, and how that is known.
public record RuledOut(Wall wall, String because) {}

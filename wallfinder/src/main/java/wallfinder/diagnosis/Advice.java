package wallfinder.diagnosis;

/// A remedy outside the sandbox, with its price. It was not verified.
///
/// @param command the exact command, or what to change if there is none
public record Advice(String command, String price) {}

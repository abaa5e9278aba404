package wallfinder.experiment;

import org.jspecify.annotations.Nullable;

/// Something of a service that a remedy may turn; the service is started anew with the new value.
///
/// @param value the value to start with, as it stands in the service's command
/// @param moves the id of the wall that turning this knob moves
/// @param max the largest value that makes sense, or null if there is none
public record Knob(String value, String moves, @Nullable Long max) {}

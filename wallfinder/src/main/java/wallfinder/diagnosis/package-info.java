/// The diagnosis: pure functions of an observation. Nothing here reads a clock, a file or the host.
@NullMarked
package wallfinder.diagnosis;

import org.jspecify.annotations.NullMarked;

/// The ladder: climbs to the wall, moves it, verifies by pairs of trials that it moved, and climbs
/// on.
@NullMarked
package wallfinder.lab.find;

import org.jspecify.annotations.NullMarked;

/// The ladder: climbs to the wall, moves it, verifies that by pairs of trials, and goes on.
@NullMarked
package wallfinder.lab.find;

import org.jspecify.annotations.NullMarked;

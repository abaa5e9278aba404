/// The ladder: climb to the wall, move it, prove that by pairs of trials, go on.
@NullMarked
package wallfinder.lab.find;

import org.jspecify.annotations.NullMarked;

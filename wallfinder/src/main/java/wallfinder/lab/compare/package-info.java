/// Two stored runs, side by side.
@NullMarked
package wallfinder.lab.compare;

import org.jspecify.annotations.NullMarked;

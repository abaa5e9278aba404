/// One trial: the place where it runs, the warm-up, the load, and the climb to higher levels.
@NullMarked
package wallfinder.lab.trial;

import org.jspecify.annotations.NullMarked;

/// One trial: the testbed, the warm-up, the load, and the climb to higher levels.
@NullMarked
package wallfinder.lab.trial;

import org.jspecify.annotations.NullMarked;

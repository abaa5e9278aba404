/// What a running command shows in a terminal: its state, and the frame that is a function of it.
@NullMarked
package wallfinder.live;

import org.jspecify.annotations.NullMarked;

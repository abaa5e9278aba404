/// What a running command shows in a terminal and in browsers: its state, and the frame and the
/// JSON that are functions of it.
@NullMarked
package wallfinder.live;

import org.jspecify.annotations.NullMarked;

/// One run of a command: its folder, its lock, its interruption and its progress.
@NullMarked
package wallfinder.lab.session;

import org.jspecify.annotations.NullMarked;

/// Other hosts, by the user's own `ssh`: connections, the copy of this program there, and frames.
@NullMarked
package wallfinder.remote;

import org.jspecify.annotations.NullMarked;

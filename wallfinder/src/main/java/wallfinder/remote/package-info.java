/// Other hosts by the user's own `ssh`, and pods by the user's own `kubectl`: connections, this
/// program there, and frames of messages.
@NullMarked
package wallfinder.remote;

import org.jspecify.annotations.NullMarked;

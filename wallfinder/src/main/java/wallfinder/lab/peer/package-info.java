/// A service that others drive: `watch`, and how a load on another host uses what it saw.
@NullMarked
package wallfinder.lab.peer;

import org.jspecify.annotations.NullMarked;

/// The service that others drive: `watch`, and what a load on another host takes from it.
@NullMarked
package wallfinder.lab.peer;

import org.jspecify.annotations.NullMarked;

/// The kernel's own interface: the only place where native functions are called.
@NullMarked
package wallfinder.linux;

import org.jspecify.annotations.NullMarked;

/// The interface to the kernel. Only this package calls native functions.
@NullMarked
package wallfinder.linux;

import org.jspecify.annotations.NullMarked;

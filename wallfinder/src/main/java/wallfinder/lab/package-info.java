/// The loop and the commands' work: trials, what they are compared by, and what is tried next.
@NullMarked
package wallfinder.lab;

import org.jspecify.annotations.NullMarked;

/// Wallfinder on another host: what the two processes say to each other, and what each of them
/// does.
@NullMarked
package wallfinder.lab.agent;

import org.jspecify.annotations.NullMarked;

/// The command `hold`: connections that are opened and kept.
@NullMarked
package wallfinder.lab.hold;

import org.jspecify.annotations.NullMarked;

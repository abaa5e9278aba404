/// The command line: options in, exit codes out.
@NullMarked
package wallfinder.cli;

import org.jspecify.annotations.NullMarked;

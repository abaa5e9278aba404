/// The loop and the commands' work: run a trial, climb to the wall, move it, prove it, go on.
@NullMarked
package wallfinder.lab;

import org.jspecify.annotations.NullMarked;

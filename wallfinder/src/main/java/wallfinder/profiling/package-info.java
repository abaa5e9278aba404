/// What the CPUs do for a service: CPU time of its threads, and samples of the stacks of its JVMs.
@NullMarked
package wallfinder.profiling;

import org.jspecify.annotations.NullMarked;

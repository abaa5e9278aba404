/// What the CPUs do for a service: CPU time of its threads, and samples of the stacks of its JVMs,
/// of other programs and of the kernel.
@NullMarked
package wallfinder.profiling;

import org.jspecify.annotations.NullMarked;

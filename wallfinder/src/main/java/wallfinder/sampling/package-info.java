/// The readers of both ends: the kernel's counters, listen queues, processes, cgroups and CPUs, and
/// the thread that samples them.
@NullMarked
package wallfinder.sampling;

import org.jspecify.annotations.NullMarked;

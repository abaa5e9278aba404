/// Where an experiment runs: network namespaces, cgroups, kernel settings, JVMs, services, and the
/// clean-up after them.
@NullMarked
package wallfinder.sandbox;

import org.jspecify.annotations.NullMarked;

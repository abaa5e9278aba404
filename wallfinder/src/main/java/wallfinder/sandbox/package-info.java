/// Where an experiment runs: network namespaces, cgroups, kernel settings, JVMs and services, and
/// the proof that nothing of it stays behind.
@NullMarked
package wallfinder.sandbox;

import org.jspecify.annotations.NullMarked;

/// The smallest memory limits under which a service keeps its objective.
@NullMarked
package wallfinder.lab.fit;

import org.jspecify.annotations.NullMarked;

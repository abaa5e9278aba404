/// The highest rate at which a service holds an objective.
@NullMarked
package wallfinder.lab.capacity;

import org.jspecify.annotations.NullMarked;

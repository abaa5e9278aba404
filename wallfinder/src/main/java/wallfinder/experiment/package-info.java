/// The input: reads YAML into records. Uses no other package of the product.
@NullMarked
package wallfinder.experiment;

import org.jspecify.annotations.NullMarked;

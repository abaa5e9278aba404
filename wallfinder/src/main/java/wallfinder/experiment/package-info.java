/// What is asked: YAML in, records out. Uses nothing else of the product.
@NullMarked
package wallfinder.experiment;

import org.jspecify.annotations.NullMarked;

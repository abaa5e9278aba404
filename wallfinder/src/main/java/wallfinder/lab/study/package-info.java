/// The cells of a matrix, measured in rounds and compared.
@NullMarked
package wallfinder.lab.study;

import org.jspecify.annotations.NullMarked;

/// Load tests for JUnit: [LoadTest] runs one, [Wallfinder] measures, and a [Result] says what was
/// found.
@NullMarked
package wallfinder.junit;

import org.jspecify.annotations.NullMarked;

/// How a result is shown: the terminal, the tables and the page.
@NullMarked
package wallfinder.report;

import org.jspecify.annotations.NullMarked;

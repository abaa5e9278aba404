/// The live view in a browser.
@NullMarked
package wallfinder.web;

import org.jspecify.annotations.NullMarked;

/// The services that come with Wallfinder, the JVMs of this host and their options.
@NullMarked
package wallfinder.lab.serve;

import org.jspecify.annotations.NullMarked;

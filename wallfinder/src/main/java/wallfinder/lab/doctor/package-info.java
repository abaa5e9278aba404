/// The limits of this host or of a sandbox, before a load meets them.
@NullMarked
package wallfinder.lab.doctor;

import org.jspecify.annotations.NullMarked;

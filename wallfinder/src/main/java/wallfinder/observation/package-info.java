/// What was seen: records of counters, series and the load's outcome, without any judgement.
@NullMarked
package wallfinder.observation;

import org.jspecify.annotations.NullMarked;

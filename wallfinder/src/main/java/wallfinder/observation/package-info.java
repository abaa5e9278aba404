/// What was seen: plain records of counters, series and outcomes, without any judgement.
@NullMarked
package wallfinder.observation;

import org.jspecify.annotations.NullMarked;

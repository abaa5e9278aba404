/// The records of a run, and their files `run.json`, `series.csv` and `latency.hlog`.
@NullMarked
package wallfinder.record;

import org.jspecify.annotations.NullMarked;

/// What is told: the terminal, `run.json`, `series.csv`, `latency.hlog` and the page.
@NullMarked
package wallfinder.report;

import org.jspecify.annotations.NullMarked;

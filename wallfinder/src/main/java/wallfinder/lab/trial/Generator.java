package wallfinder.lab.trial;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.LoadSpec;
import wallfinder.load.Probe;
import wallfinder.observation.Caveat;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Unloaded;
import wallfinder.profiling.Profiling;
import wallfinder.record.LoadWording;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;

/// What sends the requests of a load over HTTP: this host, or other hosts together.
public interface Generator {
    /// Time for the connects and the first answers before a measurement.
    Duration SETTLE = Duration.ofMillis(500);

    /// How long a load waits for its last answers.
    Duration DRAIN_MAX = Duration.ofNanos(LoadOutcome.DRAIN_NANOS);

    /// The number of requests, one at a time, that show the latency without load: enough to find
    /// the slowest 1 %.
    int PROBES = 1_000;

    /// A short load is no reason for fewer probes than this time allows.
    Duration PROBE_MIN = Duration.ofMillis(500);

    /// The time for the probes that come after a load.
    Duration PROBE_AFTER_MAX = Duration.ofSeconds(1);

    /// @param warm false if the service still got faster, or lacked answers, at the end of the time
    record WarmedUp(RunRecord.Warmup warmup, boolean warm) {}

    /// The answers to requests sent one at a time.
    ///
    /// @param unloaded what the services did meanwhile; null if nobody watched them
    record Alone(Probe probe, @Nullable Unloaded unloaded) {}

    /// One measurement.
    ///
    /// @param http the load, with the arrival of this measurement
    /// @param settle whether the opening of the connections may come before the measured time
    /// @param profiling each second of the measured time is one of its windows; null without
    /// @param alone what is known of the service without load. If null, the generator sends a few
    ///   requests one at a time after the load.
    record Asked(
            LoadSpec.Http http,
            int connections,
            Duration duration,
            boolean settle,
            @Nullable Profiling profiling,
            @Nullable Alone alone) {
        /// Whether the load is a fixed number of requests. Then each of them counts.
        public boolean counted() {
            return http.requestsMax() != LoadSpec.Http.NO_REQUESTS_MAX;
        }

        /// Whether the opening of the connections comes before the measured time. A fixed number of
        /// requests counts whole, and the stages of a rate would begin without it: their schedule
        /// waits for the connections itself.
        public boolean settles() {
            return settle && !counted() && !(http.arrival() instanceof Arrival.Stages);
        }

        /// Whether the service is probed after the load, because it was not probed before. It is
        /// warm then. A load with a fixed number of requests sends no others.
        public boolean probesAfter() {
            return alone == null && !counted();
        }

        /// `64 connections`, or `100 connections, 2,500/s asked`.
        public String words() {
            String text = NumberText.plural(connections, "connection", "connections");
            return http.arrival() instanceof Arrival.Open open
                    ? text + ", " + LoadWording.asked(open)
                    : text;
        }
    }

    /// @param both what this end saw, and who watched the other one
    /// @param caveats of the generator
    /// @param alone null if nothing is known
    record Measured(FarServer.Both both, List<Caveat> caveats, @Nullable Alone alone) {}

    /// Reports connections that do not fit. The load runs all the same, with an invalid result.
    List<Caveat> doubts(LoadSpec.Http http);

    /// Drives a warm-up until the service is warm.
    ///
    /// @param longest the longest warm-up, doubled if the number of answers is given
    /// @return null if the user stopped it
    @Nullable WarmedUp warm(LoadSpec.Http http, WarmUp warmUp, Duration longest);

    /// Sends requests one after the other, for the latency without load.
    Alone alone(LoadSpec.Http http, Duration longest);

    Measured measure(Asked asked);

    /// The probes take no longer than the load, unless that is very short.
    static Duration probeMax(LoadSpec.Http http, Duration longest) {
        Duration load = http.duration().compareTo(PROBE_MIN) < 0 ? PROBE_MIN : http.duration();
        return Climb.shorter(longest, load);
    }

    /// Called after each of several measurements.
    ///
    /// @throws wallfinder.linux.EnvironmentException if a further one would not see both ends
    void check();
}

package wallfinder.report;

import java.util.List;
import java.util.TreeMap;
import wallfinder.diagnosis.Limit;
import wallfinder.observation.End;
import wallfinder.record.RunRecord;

/// A result of `doctor` for tests: a plan of 50,000 connections.
final class SampleLimits {
    private SampleLimits() {}

    static RunRecord run() {
        return new RunRecord(
                "wallfinder doctor http://127.0.0.1:8080/ -c 50k",
                "127.0.0.1:8080",
                "2026-11-20T10:00:00Z",
                new TreeMap<>(),
                List.of(),
                List.of(),
                List.of(
                        limit("ephemeral-ports", End.CLIENT, 50_000, 28_231, true),
                        limit("accept-queue", End.SERVER, 50_000, 40_000, false),
                        limit("file-descriptors", End.SERVER, 50_000, 1_048_000, true),
                        limit("<b>", End.SERVER, Double.NaN, 100, true)),
                "the plan does not fit: ephemeral-ports on the client comes first",
                null,
                null,
                null,
                null);
    }

    private static Limit limit(String wall, End end, double needs, double hitAt, boolean decides) {
        return new Limit(
                wall,
                end,
                hitAt,
                0,
                needs,
                hitAt,
                "connections at once",
                false,
                decides,
                "net.ipv4.something",
                "/proc/sys",
                null,
                List.of("sysctl -w net.ipv4.something=more"));
    }
}

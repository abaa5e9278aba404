package wallfinder.load;

import java.lang.foreign.Arena;
import wallfinder.experiment.RequestSpec;

/// The requests of a load and the order of their turns, made once for all threads. Their bytes are
/// in native memory until this is closed.
final class RequestTable implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final RequestForm[] forms;
    private final int[] round;
    private final RequestMix mix;
    private final int threads;
    private final Share share;

    RequestTable(LoadPlan plan) {
        mix = plan.mix();
        threads = plan.threads();
        share = plan.share();
        round =
                WeightedRoundRobin.round(
                        mix.requests().stream().mapToInt(RequestSpec::weight).toArray());
        try {
            forms =
                    mix.requests().stream()
                            .map(r -> new RequestForm(r, mix, plan.keepalive(), arena))
                            .toArray(RequestForm[]::new);
        } catch (RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    Requests of(int thread, int connections) {
        boolean fixed = forms.length == 1 && forms[0].plain && forms[0].isWhole();
        if (fixed) {
            return new FixedRequest(forms[0]);
        }
        int from = (int) ((long) round.length * share.thread(thread) / share.threads(threads));
        return new MixedRequests(forms, round, from, mix, connections);
    }

    @Override
    public void close() {
        arena.close();
    }
}

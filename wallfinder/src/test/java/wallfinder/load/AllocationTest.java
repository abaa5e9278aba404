package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// One object in ten million requests would be a handful of bytes; one a request is at least
/// sixteen. What a run allocates once is spread over the requests.
@Tag("slow")
@Timeout(300)
@ParameterizedClass
@EnumSource(names = {"IO_URING", "EPOLL"})
record AllocationTest(EngineChoice engine) {
    private static final double BYTES_MAX = 1;

    @Test
    void a_request_over_a_connection_that_is_kept_allocates_nothing() {
        assertThat(bytesPerRequest(true, 400_000)).isLessThan(BYTES_MAX);
    }

    @Test
    void a_request_over_a_connection_of_its_own_allocates_nothing() {
        assertThat(bytesPerRequest(false, 100_000)).isLessThan(BYTES_MAX);
    }

    private double bytesPerRequest(boolean kept, long requests) {
        try (QuickServer server = new QuickServer(kept)) {
            PlanMaker plan = new PlanMaker(server.address()).engine(engine).keepalive(kept);
            return AllocationCount.bytesPerRequest(plan, requests);
        }
    }
}

package wallfinder.load;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;

/// Plans for tests: one connection, kept alive, in a closed loop, unless said otherwise.
final class PlanMaker {
    private static final Map<String, String> ACCEPT_ALL = Map.of("Accept", "*/*");

    private final InetSocketAddress target;
    private String method = "GET";
    private byte[] body = {};
    private int connections = 1;
    private int threads = 1;
    private boolean keepalive = true;
    private Arrival arrival = new Arrival.Closed();
    private Duration timeout = Duration.ofSeconds(10);
    private List<InetAddress> sources = List.of();
    private int portMin;
    private int portMax;
    private Runnable enterThread = () -> {};
    private EngineChoice engine = EngineChoice.AUTO;
    private @Nullable TlsPlan tls;

    PlanMaker(InetSocketAddress target) {
        this.target = target;
    }

    PlanMaker post(byte[] bytes) {
        method = "POST";
        body = bytes;
        return this;
    }

    PlanMaker connections(int count) {
        connections = count;
        return this;
    }

    PlanMaker threads(int count) {
        threads = count;
        return this;
    }

    PlanMaker keepalive(boolean kept) {
        keepalive = kept;
        return this;
    }

    PlanMaker lockstep() {
        arrival = new Arrival.Lockstep();
        return this;
    }

    PlanMaker arrival(Arrival wanted) {
        arrival = wanted;
        return this;
    }

    PlanMaker timeout(Duration longest) {
        timeout = longest;
        return this;
    }

    PlanMaker sources(String... addresses) {
        sources = new ArrayList<>();
        try {
            for (String address : addresses) {
                sources.add(InetAddress.getByName(address));
            }
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
        return this;
    }

    PlanMaker ports(int min, int max) {
        portMin = min;
        portMax = max;
        return this;
    }

    PlanMaker enterThread(Runnable enter) {
        enterThread = enter;
        return this;
    }

    PlanMaker engine(EngineChoice choice) {
        engine = choice;
        return this;
    }

    PlanMaker tls(@Nullable TlsPlan wanted) {
        tls = wanted;
        return this;
    }

    LoadPlan make() {
        return new LoadPlan(
                target,
                new Request(method, "/", "test:" + target.getPort(), ACCEPT_ALL, body),
                connections,
                threads,
                keepalive,
                arrival,
                timeout,
                new Sources(sources, portMin, portMax),
                new EngineThreads(enterThread, new int[0], engine),
                tls);
    }
}

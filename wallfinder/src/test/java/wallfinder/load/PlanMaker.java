package wallfinder.load;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.Body;
import wallfinder.experiment.Expectation;
import wallfinder.experiment.Header;
import wallfinder.experiment.RequestSpec;
import wallfinder.experiment.Timeouts;

/// Plans for tests. By default one kept connection in a closed loop.
final class PlanMaker {
    private static final List<Header> ACCEPT_ALL = List.of(new Header("Accept", "*/*"));

    private final SocketAddress target;
    private String method = "GET";
    private final List<Header> headers = new ArrayList<>(ACCEPT_ALL);
    private final List<RequestSpec> requests = new ArrayList<>();
    private final Variables variables = new Variables();
    private @Nullable Body body;
    private String path = "/";
    private boolean cookies;
    private int connections = 1;
    private int threads = 1;
    private boolean keepalive = true;
    private Arrival arrival = new Arrival.Closed();
    private Timeouts timeouts = Timeouts.whole(Duration.ofSeconds(10));
    private List<InetAddress> sources = List.of();
    private int portMin;
    private int portMax;
    private Runnable enterThread = () -> {};
    private EngineChoice engine = EngineChoice.AUTO;
    private @Nullable TlsPlan tls;
    private Expectation expect = Expectation.DEFAULT;

    PlanMaker(SocketAddress target) {
        this.target = target;
    }

    PlanMaker post(byte[] bytes) {
        method = "POST";
        return body(new Body.Text(new String(bytes, StandardCharsets.UTF_8)));
    }

    PlanMaker body(Body what) {
        body = what;
        return this;
    }

    PlanMaker method(String word) {
        method = word;
        return this;
    }

    PlanMaker path(String text) {
        path = text;
        return this;
    }

    PlanMaker header(String name, String value) {
        headers.add(new Header(name, value));
        return this;
    }

    /// Replaces the request that the other methods configure.
    PlanMaker request(RequestSpec spec) {
        requests.add(spec);
        return this;
    }

    PlanMaker cookies() {
        cookies = true;
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
        return timeouts(Timeouts.whole(longest));
    }

    PlanMaker timeouts(Timeouts longest) {
        timeouts = longest;
        return this;
    }

    PlanMaker expect(Expectation wanted) {
        expect = wanted;
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

    private String host() {
        return target instanceof InetSocketAddress inet ? "test:" + inet.getPort() : "test";
    }

    PlanMaker tls(@Nullable TlsPlan wanted) {
        tls = wanted;
        return this;
    }

    LoadPlan make() {
        return new LoadPlan(
                target,
                new RequestMix(host(), requests(), cookies, variables),
                connections,
                threads,
                keepalive,
                arrival,
                timeouts,
                expect,
                new Sources(sources, portMin, portMax),
                new EngineThreads(enterThread, new int[0], engine),
                tls);
    }

    private List<RequestSpec> requests() {
        return requests.isEmpty()
                ? List.of(new RequestSpec(method, path, headers, body, 1))
                : requests;
    }
}

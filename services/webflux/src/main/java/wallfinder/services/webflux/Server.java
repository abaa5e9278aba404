package wallfinder.services.webflux;

import io.netty.channel.ChannelOption;
import java.util.List;
import java.util.Locale;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.ServerConnector;
import org.springframework.boot.jetty.reactive.JettyReactiveWebServerFactory;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.tomcat.reactive.TomcatReactiveWebServerFactory;
import org.springframework.boot.web.server.reactive.ReactiveWebServerFactory;

/// The HTTP server, and the number of its threads.
sealed interface Server {
    String described();

    /// Makes the server. Spring's settings contain its address, and the values that Spring Boot
    /// would otherwise override.
    ReactiveWebServerFactory factory(int backlog);

    default List<String> settings(int backlog) {
        return List.of();
    }

    /// @param eventLoops the number of threads that accept, read, write and run handlers
    record Netty(Transport transport, int eventLoops) implements Server {
        @Override
        public String described() {
            return "event loops %d, netty on %s"
                    .formatted(eventLoops, transport.name().toLowerCase(Locale.ROOT));
        }

        @Override
        public ReactiveWebServerFactory factory(int backlog) {
            NettyReactiveWebServerFactory factory = new NettyReactiveWebServerFactory();
            factory.addServerCustomizers(
                    server -> server.option(ChannelOption.SO_BACKLOG, backlog));
            return factory;
        }
    }

    /// @param threads how many requests Tomcat serves at once; one more thread polls the sockets
    /// @param connections how many connections Tomcat accepts; the others wait in the accept queue
    record Tomcat(int threads, int connections) implements Server {
        /// Tomcat's own default.
        static final int CONNECTIONS = 8_192;

        private static final int SPARE_MAX = 10;

        @Override
        public String described() {
            return "threads %d, connections %d, tomcat".formatted(threads, connections);
        }

        @Override
        public ReactiveWebServerFactory factory(int backlog) {
            return new TomcatReactiveWebServerFactory();
        }

        @Override
        public List<String> settings(int backlog) {
            return List.of(
                    "--server.tomcat.accept-count=" + backlog,
                    "--server.tomcat.max-connections=" + connections,
                    "--server.tomcat.threads.max=" + threads,
                    "--server.tomcat.threads.min-spare=" + Math.min(SPARE_MAX, threads));
        }
    }

    /// @param threads the number of all threads, including those that accept and select
    record Jetty(int threads) implements Server {
        static final int THREADS_MIN = 8;

        @Override
        public String described() {
            return "threads " + threads + ", jetty";
        }

        @Override
        public ReactiveWebServerFactory factory(int backlog) {
            JettyReactiveWebServerFactory factory = new JettyReactiveWebServerFactory();
            factory.addServerCustomizers(server -> {
                for (Connector connector : server.getConnectors()) {
                    ((ServerConnector) connector).setAcceptQueueSize(backlog);
                }
            });
            return factory;
        }

        @Override
        public List<String> settings(int backlog) {
            return List.of(
                    "--server.jetty.threads.max=" + threads,
                    "--server.jetty.threads.min=" + THREADS_MIN);
        }
    }
}

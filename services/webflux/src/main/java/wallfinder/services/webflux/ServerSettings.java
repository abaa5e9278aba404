package wallfinder.services.webflux;

import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.reactive.ReactiveWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ReactorResourceFactory;

/// The server that the command line asks for. All three are there, so Spring Boot is not left to
/// choose.
@Configuration(proxyBeanMethods = false)
class ServerSettings {
    @Bean
    ReactiveWebServerFactory webServer(
            Options options, ObjectProvider<ReactorResourceFactory> eventLoops) {
        ReactiveWebServerFactory factory = options.server().factory(options.backlog());
        if (factory instanceof NettyReactiveWebServerFactory netty) {
            netty.setResourceFactory(eventLoops.getObject());
        }
        return factory;
    }

    /// A bean, for Spring to end the loops with the service. Made when Netty asks for it.
    @Bean
    ReactorResourceFactory eventLoops(Options options) {
        ReactorResourceFactory resources = new ReactorResourceFactory();
        resources.setUseGlobalResources(false);
        if (options.server() instanceof Server.Netty netty) {
            resources.setLoopResourcesSupplier(
                    () -> new EventLoops(netty.transport(), netty.eventLoops()));
        }
        // Without this every stop waits two seconds for requests that may still come.
        resources.setShutdownQuietPeriod(Duration.ZERO);
        return resources;
    }
}

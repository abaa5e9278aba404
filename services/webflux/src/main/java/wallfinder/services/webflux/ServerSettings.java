package wallfinder.services.webflux;

import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.reactive.ReactiveWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ReactorResourceFactory;

/// Makes the requested server. All three are on the class path, so Spring Boot must not choose one.
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

    /// A bean, so that Spring ends the loops with the service. Spring makes it only for Netty.
    @Bean
    ReactorResourceFactory eventLoops(Options options) {
        ReactorResourceFactory resources = new ReactorResourceFactory();
        resources.setUseGlobalResources(false);
        if (options.server() instanceof Server.Netty netty) {
            resources.setLoopResourcesSupplier(
                    () -> new EventLoops(netty.transport(), netty.eventLoops()));
        }
        // Without this, every stop waits two seconds for further requests.
        resources.setShutdownQuietPeriod(Duration.ZERO);
        return resources;
    }
}

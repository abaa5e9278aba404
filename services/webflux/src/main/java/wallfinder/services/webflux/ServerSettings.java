package wallfinder.services.webflux;

import io.netty.channel.ChannelOption;
import java.time.Duration;
import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.netty.resources.LoopResources;

/// What of reactor-netty the command line sets.
@Configuration(proxyBeanMethods = false)
class ServerSettings {
    @Bean
    NettyServerCustomizer listenBacklog(Options options) {
        return server -> server.option(ChannelOption.SO_BACKLOG, options.backlog());
    }

    @Bean
    ReactorResourceFactory eventLoops(Options options) {
        ReactorResourceFactory resources = new ReactorResourceFactory();
        resources.setUseGlobalResources(false);
        resources.setLoopResourcesSupplier(
                () -> LoopResources.create("event-loop", options.eventLoops(), true));
        // Without this every stop waits two seconds for requests that may still come.
        resources.setShutdownQuietPeriod(Duration.ZERO);
        return resources;
    }
}

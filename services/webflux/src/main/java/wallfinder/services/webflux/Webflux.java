package wallfinder.services.webflux;

import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/// A user service on WebFlux and reactor-netty: the kind of service that stops at 250 requests a
/// second with an idle CPU, for two different reasons.
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ServerSettings.class, Endpoints.class})
public class Webflux {
    private static final Logger LOG = LoggerFactory.getLogger(Webflux.class);

    public static void main(String[] args) {
        try {
            start(Options.parse(args));
        } catch (IllegalArgumentException wrong) {
            System.err.println("webflux: " + wrong.getMessage());
            System.err.println(Options.USAGE);
            System.exit(2);
        }
    }

    /// Starts the service; returns when it is listening.
    static ConfigurableApplicationContext start(Options options) {
        SpringApplication application =
                new SpringApplicationBuilder(Webflux.class)
                        .properties(settings(options))
                        .initializers(context ->
                                context.getBeanFactory().registerSingleton("options", options))
                        .build();
        ConfigurableApplicationContext context = application.run();
        LOG.info("listening on {}:{}, {}", options.host(), port(context), options.described());
        return context;
    }

    static int port(ConfigurableApplicationContext context) {
        return ((WebServerApplicationContext) context).getWebServer().getPort();
    }

    /// Beans are made when first needed, and a stop does not wait for open connections: a trial
    /// starts and stops the service many times.
    private static Map<String, Object> settings(Options options) {
        return Map.of(
                "server.port", options.port(),
                "server.address", options.host(),
                "server.shutdown", "immediate",
                "spring.main.lazy-initialization", true,
                "spring.main.banner-mode", "off",
                "spring.main.log-startup-info", false,
                "logging.level.root", "warn",
                "logging.level.wallfinder", "info",
                "logging.pattern.console", "webflux: %m%n%wEx");
    }
}

package wallfinder.services.webflux;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextClosedEvent;

/// A user service on WebFlux: the kind of service that stops at 250 requests a second with an idle
/// CPU, for two different reasons.
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ServerSettings.class, Endpoints.class})
public class Webflux {
    private static final Logger LOG = LoggerFactory.getLogger(Webflux.class);

    public static void main(String[] args) {
        try {
            start(Options.parse(args));
        } catch (CannotStart missing) {
            System.err.println("webflux: " + missing.getMessage());
            System.exit(3);
        } catch (IllegalArgumentException wrong) {
            System.err.println("webflux: " + wrong.getMessage());
            System.err.println(Options.USAGE);
            System.exit(2);
        }
    }

    /// Starts the service and returns when it listens.
    ///
    /// @throws CannotStart if this host does not support the transport, or Redis does not answer
    static ConfigurableApplicationContext start(Options options) {
        if (options.server() instanceof Server.Netty netty) {
            netty.transport().check();
        }
        Users users = Users.of(options);
        try {
            ConfigurableApplicationContext context = application(options, users);
            LOG.info("listening on {}:{}, {}", options.host(), port(context), options.described());
            return context;
        } catch (RuntimeException notListening) {
            users.close();
            throw notListening;
        }
    }

    private static ConfigurableApplicationContext application(Options options, Users users) {
        return new SpringApplicationBuilder(Webflux.class)
                .web(WebApplicationType.REACTIVE)
                .initializers(context -> {
                    context.getBeanFactory().registerSingleton("options", options);
                    context.getBeanFactory().registerSingleton("users", users);
                    context.addApplicationListener(
                            (ApplicationListener<ContextClosedEvent>) closed -> users.close());
                })
                .run(settings(options));
    }

    static int port(ConfigurableApplicationContext context) {
        return ((WebServerApplicationContext) context).getWebServer().getPort();
    }

    /// Spring makes beans lazily, and a stop does not wait for open connections, because a trial
    /// starts and stops the service often. As arguments these settings override environment
    /// variables.
    private static String[] settings(Options options) {
        List<String> settings = new ArrayList<>(options.server().settings(options.backlog()));
        settings.addAll(
                List.of(
                        "--server.port=" + options.port(),
                        "--server.address=" + options.host(),
                        "--server.shutdown=immediate",
                        "--spring.main.lazy-initialization=true",
                        "--spring.main.banner-mode=off",
                        "--spring.main.log-startup-info=false",
                        "--logging.level.root=warn",
                        "--logging.level.wallfinder=info",
                        "--logging.pattern.console=webflux: %m%n%wEx"));
        return settings.toArray(String[]::new);
    }
}

package wallfinder.services.camel;

import org.apache.camel.builder.RouteBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/// Spring Boot with Camel on the embedded Tomcat, like many small services. The studies measure its
/// need of memory.
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class CamelService {
    private static final Logger LOG = LoggerFactory.getLogger(CamelService.class);

    public static void main(String[] args) {
        try {
            start(Options.parse(args));
        } catch (IllegalArgumentException wrong) {
            System.err.println("camel: " + wrong.getMessage());
            System.err.println(Options.USAGE);
            System.exit(2);
        }
    }

    @Bean
    RouteBuilder health() {
        return new HealthRoute();
    }

    private static void start(Options options) {
        ConfigurableApplicationContext context =
                new SpringApplicationBuilder(CamelService.class).run(settings(options));
        int port = ((WebServerApplicationContext) context).getWebServer().getPort();
        LOG.info("listening on {}:{}, {}", options.host(), port, options.described());
    }

    /// Passed as arguments, because these override environment variables.
    private static String[] settings(Options options) {
        return new String[] {
            "--server.port=" + options.port(),
            "--server.address=" + options.host(),
            "--server.tomcat.threads.max=" + options.threads(),
            "--server.tomcat.threads.min-spare=" + Math.min(10, options.threads()),
            "--server.tomcat.accept-count=" + options.backlog(),
            "--server.tomcat.max-connections=" + options.connections(),
            "--server.tomcat.processor-cache=" + options.processors(),
            "--server.shutdown=immediate",
            "--camel.main.shutdown-timeout=2",
            "--spring.main.banner-mode=off",
            "--spring.main.log-startup-info=false",
            "--logging.level.root=warn",
            "--logging.level.wallfinder=info",
            "--logging.pattern.console=camel: %m%n%wEx"
        };
    }
}

package wallfinder.services.camel;

import java.util.Collection;
import org.apache.camel.Exchange;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.health.HealthCheck;
import org.apache.camel.health.HealthCheckHelper;

/// `GET /health` runs all of Camel's health checks, as a container's readiness probe does.
final class HealthRoute extends RouteBuilder {
    @Override
    public void configure() {
        from("platform-http:/health?httpMethodRestrict=GET")
                .routeId("health")
                // Camel would send the remaining headers back with the answer.
                .removeHeaders("*")
                .process(HealthRoute::answer);
    }

    private static void answer(Exchange exchange) {
        Collection<HealthCheck.Result> results =
                HealthCheckHelper.invokeReadiness(exchange.getContext());
        boolean up = results.stream().allMatch(result -> result.getState() == HealthCheck.State.UP);
        exchange.getMessage().setHeader(Exchange.HTTP_RESPONSE_CODE, up ? 200 : 503);
        exchange.getMessage().setHeader(Exchange.CONTENT_TYPE, "application/json");
        exchange.getMessage().setBody(up ? "{\"status\":\"UP\"}" : "{\"status\":\"DOWN\"}");
    }
}

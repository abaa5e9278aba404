package wallfinder.junit;

import java.util.List;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/// Gives tests their [Wallfinder], and adds what was measured to the failure of a test. [LoadTest]
/// registers it. Other kinds of tests, such as `@ParameterizedTest`, do so by `@ExtendWith`.
public final class WallfinderExtension implements ParameterResolver, TestExecutionExceptionHandler {
    private static final Namespace NAMESPACE = Namespace.create(WallfinderExtension.class);

    /// For JUnit.
    public WallfinderExtension() {}

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Wallfinder.class;
    }

    @Override
    public Wallfinder resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return new Wallfinder(measurements(context));
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure)
            throws Throwable {
        List<Result> results = measurements(context).results();
        for (Result result : results) {
            failure.addSuppressed(new Measured(result));
        }
        throw failure;
    }

    private static Measurements measurements(ExtensionContext context) {
        return context.getStore(NAMESPACE)
                .computeIfAbsent(
                        context.getUniqueId(),
                        unique -> new Measurements(context),
                        Measurements.class);
    }
}

package wallfinder.load;

import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// The same with a server in Java and one in Go.
@Tag("long")
@ParameterizedClass(name = "{0}, https {1}")
@MethodSource("servers")
final class AgreementWithMoreServersTest extends AgreementTest {
    AgreementWithMoreServersTest(CountingServer.Kind kind, boolean secured) {
        super(kind, secured);
    }

    static Stream<Arguments> servers() {
        return withAndWithoutTls(CountingServer.Kind.JETTY, CountingServer.Kind.GO);
    }
}

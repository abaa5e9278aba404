package wallfinder.load;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/// The same with the other pairs of an engine and a library.
@Tag("long")
@ParameterizedClass
@CsvSource({"EPOLL, OPENSSL", "IO_URING, JDK"})
final class TlsEngineWithOtherPairsTest extends TlsEngineTest {}

package wallfinder.services.cxf;

import java.io.EOFException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SSLException;

/// The kind of a failed request, in the words that Wallfinder has for it.
final class Failure {
    /// More links than this has no chain of causes that is not a ring.
    private static final int CAUSES_MAX = 20;

    /// What the kernel's errors are called in the JDK's messages.
    private static final Map<String, String> MESSAGES =
            Map.of(
                    "cannot assign requested address", "connect-no-port",
                    "too many open files", "connect-no-descriptor",
                    "connection reset", "reset",
                    "broken pipe", "reset",
                    "received no bytes", "closed",
                    "eof reached", "closed",
                    "unexpected end of file", "closed",
                    "connection refused", "connect-refused");

    private Failure() {}

    static String kind(int status) {
        return "status-" + status;
    }

    /// The first cause of all that says what it was.
    static String kind(Throwable failure) {
        String type = null;
        Throwable last = failure;
        Throwable cause = failure;
        for (int i = 0; cause != null && i < CAUSES_MAX; i++) {
            String message = message(cause);
            if (message != null) {
                return message;
            }
            String its = type(cause);
            type = its == null ? type : its;
            last = cause;
            cause = cause.getCause();
        }
        return type == null ? last.getClass().getSimpleName() : type;
    }

    private static String message(Throwable cause) {
        String said = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
        return MESSAGES.entrySet().stream()
                .filter(entry -> said.contains(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
    }

    private static String type(Throwable cause) {
        if (cause instanceof HttpConnectTimeoutException) {
            return "connect-timeout";
        }
        if (cause instanceof HttpTimeoutException || cause instanceof SocketTimeoutException) {
            return "timeout";
        }
        if (cause instanceof SSLException) {
            return "tls";
        }
        if (cause instanceof EOFException) {
            return "closed";
        }
        return cause instanceof ConnectException ? "connect-other" : null;
    }
}

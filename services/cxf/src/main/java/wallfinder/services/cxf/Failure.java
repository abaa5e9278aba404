package wallfinder.services.cxf;

import java.io.EOFException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SSLException;

/// The kind of a failed request, in Wallfinder's words.
final class Failure {
    /// A longer chain of causes is a cycle.
    private static final int CAUSES_MAX = 20;

    /// The kernel's errors in the JDK's messages.
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

    /// The kind of the first cause with a known message or type.
    static String kind(Throwable failure) {
        String type = null;
        Throwable last = failure;
        Throwable cause = failure;
        for (int i = 0; cause != null && i < CAUSES_MAX; i++) {
            String message = message(cause);
            if (message != null) {
                return message;
            }
            String known = type(cause);
            type = known == null ? type : known;
            last = cause;
            cause = cause.getCause();
        }
        return type == null ? last.getClass().getSimpleName() : type;
    }

    private static String message(Throwable cause) {
        String text = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
        return MESSAGES.entrySet().stream()
                .filter(entry -> text.contains(entry.getKey()))
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

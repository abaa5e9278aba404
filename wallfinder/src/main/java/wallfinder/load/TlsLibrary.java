package wallfinder.load;

import wallfinder.linux.OpenSsl;

/// Who does the handshakes and the records of a load.
public enum TlsLibrary {
    JDK,
    OPENSSL;

    /// The system's OpenSSL where there is one: nothing of it has to be compiled first, as the
    /// JDK's has in the first seconds of a load.
    static TlsLibrary ofSystem() {
        return OpenSsl.available() ? OPENSSL : JDK;
    }

    TlsRecords records(TlsPlan plan, int connections) {
        return switch (this) {
            case JDK -> new JdkRecords(plan, connections);
            case OPENSSL -> new OpenSslRecords(plan, connections);
        };
    }

    /// With the version.
    String words() {
        return switch (this) {
            case JDK -> "Java " + Runtime.version().feature();
            case OPENSSL -> OpenSsl.version();
        };
    }
}

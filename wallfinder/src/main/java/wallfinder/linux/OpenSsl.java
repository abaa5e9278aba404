package wallfinder.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.Optional;

/// The system's OpenSSL 3, for a client: a context for all connections, and for each connection an
/// object that reads from a memory buffer and writes to one (BIO). Objects are named by their
/// addresses, as in C.
///
/// An instance belongs to one thread, as OpenSSL's queue of errors does.
public final class OpenSsl {
    public static final int TLS_1_2 = 0x0303;
    public static final int TLS_1_3 = 0x0304;

    /// Results of [#error].
    public static final int WANT_READ = 2;

    public static final int ZERO_RETURN = 6;

    private static final String SSL_FILE = "libssl.so.3";
    private static final String CRYPTO_FILE = "libcrypto.so.3";

    // Numbers of openssl/ssl.h, bio.h and x509_vfy.h, which are the same in all versions 3.
    private static final long INIT_NO_ATEXIT = 0x0008_0000L;
    private static final int CTRL_MODE = 33;
    private static final int CTRL_SET_TLSEXT_HOSTNAME = 55;
    private static final int CTRL_EXTRA_CHAIN_CERT = 14;
    private static final int CTRL_SET_MIN_PROTO_VERSION = 123;
    private static final int CTRL_SET_MAX_PROTO_VERSION = 124;
    private static final int BIO_CTRL_RESET = 1;
    private static final int VERIFY_PEER = 1;
    private static final long MODE_MOVING_WRITE_BUFFER = 2;
    private static final long MODE_RELEASE_BUFFERS = 0x10;
    private static final long OP_NO_RENEGOTIATION = 1L << 30;
    private static final long V_FLAG_PARTIAL_CHAIN = 0x80000;

    /// As the JDK: keys of RSA from 1024 bits on. A distribution may have set 2.
    private static final int SECURITY_LEVEL = 1;

    private static final boolean AVAILABLE = load();

    private final MemorySegment errno = Syscall.errnoSegment();

    /// The functions, loaded at the first use.
    private static final class F {
        static final SymbolLookup CRYPTO = SymbolLookup.libraryLookup(CRYPTO_FILE, Arena.global());
        static final SymbolLookup SSL = SymbolLookup.libraryLookup(SSL_FILE, Arena.global());

        static final NativeFunction INIT = ssl("OPENSSL_init_ssl");
        static final NativeFunction VERSION = cryptoAddress("OpenSSL_version");
        static final NativeFunction CLIENT_METHOD = sslAddress("TLS_client_method");
        static final NativeFunction CTX_NEW = sslAddress("SSL_CTX_new");
        static final NativeFunction CTX_FREE = ssl("SSL_CTX_free");
        static final NativeFunction CTX_CTRL = sslAddress("SSL_CTX_ctrl");
        static final NativeFunction CTX_SET_OPTIONS = sslAddress("SSL_CTX_set_options");
        static final NativeFunction CTX_SET_SECURITY_LEVEL = ssl("SSL_CTX_set_security_level");
        static final NativeFunction CTX_SET_ALPN_PROTOS = ssl("SSL_CTX_set_alpn_protos");
        static final NativeFunction CTX_SET_VERIFY = ssl("SSL_CTX_set_verify");
        static final NativeFunction CTX_GET_CERT_STORE = sslAddress("SSL_CTX_get_cert_store");
        static final NativeFunction CTX_GET0_PARAM = sslAddress("SSL_CTX_get0_param");
        static final NativeFunction CTX_USE_CERTIFICATE = ssl("SSL_CTX_use_certificate");
        static final NativeFunction CTX_USE_PRIVATE_KEY = ssl("SSL_CTX_use_PrivateKey");
        static final NativeFunction NEW = sslAddress("SSL_new");
        static final NativeFunction FREE = ssl("SSL_free");
        static final NativeFunction CTRL = sslAddress("SSL_ctrl");
        static final NativeFunction SET_BIO = ssl("SSL_set_bio");
        static final NativeFunction SET0_RBIO = ssl("SSL_set0_rbio");
        static final NativeFunction SET_CONNECT_STATE = ssl("SSL_set_connect_state");
        static final NativeFunction DO_HANDSHAKE = ssl("SSL_do_handshake");
        static final NativeFunction READ = ssl("SSL_read");
        static final NativeFunction WRITE = ssl("SSL_write");
        static final NativeFunction SHUTDOWN = ssl("SSL_shutdown");
        static final NativeFunction GET_ERROR = ssl("SSL_get_error");
        static final NativeFunction GET_VERIFY_RESULT = sslAddress("SSL_get_verify_result");
        static final NativeFunction GET_SIGALGS = ssl("SSL_get_sigalgs");
        static final NativeFunction SESSION_REUSED = ssl("SSL_session_reused");
        static final NativeFunction GET1_SESSION = sslAddress("SSL_get1_session");
        static final NativeFunction SET_SESSION = ssl("SSL_set_session");
        static final NativeFunction SESSION_IS_RESUMABLE = ssl("SSL_SESSION_is_resumable");
        static final NativeFunction SESSION_FREE = ssl("SSL_SESSION_free");
        static final NativeFunction GET_VERSION = sslAddress("SSL_get_version");
        static final NativeFunction GET_CIPHER = sslAddress("SSL_get_current_cipher");
        static final NativeFunction CIPHER_NAME = sslAddress("SSL_CIPHER_standard_name");

        static final NativeFunction BIO_S_MEM = cryptoAddress("BIO_s_mem");
        static final NativeFunction BIO_NEW = cryptoAddress("BIO_new");
        static final NativeFunction BIO_FREE = crypto("BIO_free");
        static final NativeFunction BIO_UP_REF = crypto("BIO_up_ref");
        static final NativeFunction BIO_READ = crypto("BIO_read");
        static final NativeFunction BIO_WRITE = crypto("BIO_write");
        static final NativeFunction BIO_PENDING = cryptoAddress("BIO_ctrl_pending");
        static final NativeFunction BIO_CTRL = cryptoAddress("BIO_ctrl");
        static final NativeFunction D2I_X509 = cryptoAddress("d2i_X509");
        static final NativeFunction X509_FREE = crypto("X509_free");
        static final NativeFunction D2I_PRIVATE_KEY = cryptoAddress("d2i_AutoPrivateKey");
        static final NativeFunction PRIVATE_KEY_FREE = crypto("EVP_PKEY_free");
        static final NativeFunction STORE_ADD_CERT = crypto("X509_STORE_add_cert");
        static final NativeFunction PARAM_SET_FLAGS = crypto("X509_VERIFY_PARAM_set_flags");
        static final NativeFunction PARAM_SET_HOST = crypto("X509_VERIFY_PARAM_set1_host");
        static final NativeFunction PARAM_SET_ADDRESS = crypto("X509_VERIFY_PARAM_set1_ip_asc");
        static final NativeFunction VERIFY_WORDS = cryptoAddress("X509_verify_cert_error_string");
        static final NativeFunction ERR_GET = cryptoAddress("ERR_get_error");
        static final NativeFunction ERR_CLEAR = crypto("ERR_clear_error");
        static final NativeFunction ERR_WORDS = cryptoAddress("ERR_reason_error_string");

        private static NativeFunction ssl(String name) {
            return NativeFunction.ofInt(SSL, name);
        }

        private static NativeFunction sslAddress(String name) {
            return NativeFunction.ofLong(SSL, name);
        }

        private static NativeFunction crypto(String name) {
            return NativeFunction.ofInt(CRYPTO, name);
        }

        private static NativeFunction cryptoAddress(String name) {
            return NativeFunction.ofLong(CRYPTO, name);
        }
    }

    /// Without OpenSSL's handler at exit: it would free what other threads still use.
    private static boolean load() {
        try {
            return F.INIT.value(Syscall.errnoSegment(), INIT_NO_ATEXIT, 0, 0, 0) == 1;
        } catch (ExceptionInInitializerError _) {
            return false; // the library, or one of the functions, is missing
        }
    }

    /// Whether this system has an OpenSSL with all functions that are needed here.
    public static boolean available() {
        return AVAILABLE;
    }

    /// For example "OpenSSL 3.0.17".
    public static String version() {
        String all = text(F.VERSION.value(Syscall.errnoSegment(), 0, 0, 0, 0)).orElseThrow();
        return all.replaceFirst("^(\\S+ \\S+).*", "$1");
    }

    /// A text of OpenSSL's own, which ends with a zero.
    private static Optional<String> text(long address) {
        return address == 0
                ? Optional.empty()
                : Optional.of(
                        MemorySegment.ofAddress(address).reinterpret(Long.MAX_VALUE).getString(0));
    }

    private static long made(long address, String what) {
        if (address == 0) {
            throw new IllegalStateException("OpenSSL cannot make " + what);
        }
        return address;
    }

    private void check(long result, String what) {
        if (result <= 0) {
            throw new IllegalStateException("OpenSSL cannot %s: %s".formatted(what, reason()));
        }
    }

    /// A context for clients of these versions.
    public long newContext(int versionMin, int versionMax) {
        long method = F.CLIENT_METHOD.value(errno, 0, 0, 0, 0);
        long context = made(F.CTX_NEW.value(errno, method, 0, 0, 0), "a context");
        check(
                F.CTX_CTRL.value(errno, context, CTRL_SET_MIN_PROTO_VERSION, versionMin, 0),
                "set the least version");
        check(
                F.CTX_CTRL.value(errno, context, CTRL_SET_MAX_PROTO_VERSION, versionMax, 0),
                "set the greatest version");
        long mode = MODE_MOVING_WRITE_BUFFER | MODE_RELEASE_BUFFERS;
        long _ = F.CTX_CTRL.value(errno, context, CTRL_MODE, mode, 0);
        long _ = F.CTX_SET_OPTIONS.value(errno, context, OP_NO_RENEGOTIATION, 0, 0);
        long _ = F.CTX_SET_SECURITY_LEVEL.value(errno, context, SECURITY_LEVEL, 0, 0);
        return context;
    }

    /// Connections that were made of it stay valid.
    public void freeContext(long context) {
        long _ = F.CTX_FREE.value(errno, context, 0, 0, 0);
    }

    /// Offers one application protocol (ALPN).
    public void offerProtocol(long context, String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment list = arena.allocateFrom((char) name.length() + name);
            long length = name.length() + 1L;
            if (F.CTX_SET_ALPN_PROTOS.value(errno, context, list.address(), length, 0) != 0) {
                throw new IllegalStateException("OpenSSL cannot offer " + name);
            }
        }
    }

    /// Accepts only servers with this name or address that one of the trusted certificates has
    /// signed. Each trusted certificate is the end of a chain, whoever signed it.
    public void verify(long context, String host, boolean name) {
        long _ = F.CTX_SET_VERIFY.value(errno, context, VERIFY_PEER, 0, 0);
        long parameters = F.CTX_GET0_PARAM.value(errno, context, 0, 0, 0);
        long _ = F.PARAM_SET_FLAGS.value(errno, parameters, V_FLAG_PARTIAL_CHAIN, 0, 0);
        try (Arena arena = Arena.ofConfined()) {
            long text = arena.allocateFrom(host).address();
            check(
                    name
                            ? F.PARAM_SET_HOST.value(errno, parameters, text, 0, 0)
                            : F.PARAM_SET_ADDRESS.value(errno, parameters, text, 0, 0),
                    "check the name " + host);
        }
    }

    /// @param certificate in DER
    public void trust(long context, byte[] certificate) {
        long read = certificate(certificate);
        long store = F.CTX_GET_CERT_STORE.value(errno, context, 0, 0, 0);
        check(F.STORE_ADD_CERT.value(errno, store, read, 0, 0), "trust a certificate");
        long _ = F.X509_FREE.value(errno, read, 0, 0, 0);
    }

    private long certificate(byte[] der) {
        return read(F.D2I_X509, der, "a certificate");
    }

    /// The functions take the address of a pointer to the bytes, and move the pointer.
    private long read(NativeFunction reader, byte[] der, String what) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(der.length);
            Memory.putBytes(bytes.address(), der);
            MemorySegment pointer = arena.allocate(Long.BYTES);
            Memory.putLong(pointer.address(), bytes.address());
            return made(reader.value(errno, 0, pointer.address(), der.length, 0), what);
        }
    }

    /// Presents a certificate to each server that asks.
    ///
    /// @param key in DER (PKCS#8)
    /// @param chain in DER, the client's own certificate first
    public void identify(long context, byte[] key, Iterable<byte[]> chain) {
        boolean first = true;
        for (byte[] der : chain) {
            long read = certificate(der);
            if (first) {
                check(F.CTX_USE_CERTIFICATE.value(errno, context, read, 0, 0), "use --cert");
                long _ = F.X509_FREE.value(errno, read, 0, 0, 0);
            } else {
                // The context owns it now.
                check(
                        F.CTX_CTRL.value(errno, context, CTRL_EXTRA_CHAIN_CERT, 0, read),
                        "use the chain of --cert");
            }
            first = false;
        }
        long read = read(F.D2I_PRIVATE_KEY, key, "a private key");
        check(F.CTX_USE_PRIVATE_KEY.value(errno, context, read, 0, 0), "use --key");
        long _ = F.PRIVATE_KEY_FREE.value(errno, read, 0, 0, 0);
        // To find the format of a key, OpenSSL tries all, and notes each failure.
        long _ = F.ERR_CLEAR.value(errno, 0, 0, 0, 0);
    }

    /// A buffer that grows with what is written to it.
    public long newBuffer() {
        long memory = F.BIO_S_MEM.value(errno, 0, 0, 0, 0);
        return made(F.BIO_NEW.value(errno, memory, 0, 0, 0), "a buffer");
    }

    public void freeBuffer(long buffer) {
        long _ = F.BIO_FREE.value(errno, buffer, 0, 0, 0);
    }

    /// How many bytes the buffer has.
    public int pending(long buffer) {
        return (int) F.BIO_PENDING.value(errno, buffer, 0, 0, 0);
    }

    public int writeBuffer(long buffer, long from, int bytes) {
        return (int) F.BIO_WRITE.value(errno, buffer, from, bytes, 0);
    }

    public int readBuffer(long buffer, long to, int bytes) {
        return (int) F.BIO_READ.value(errno, buffer, to, bytes, 0);
    }

    public void emptyBuffer(long buffer) {
        long _ = F.BIO_CTRL.value(errno, buffer, BIO_CTRL_RESET, 0, 0);
    }

    /// A connection that has not begun.
    ///
    /// @param output belongs to the connection from now on; `input` may be shared
    public long newConnection(long context, long input, long output) {
        long connection = made(F.NEW.value(errno, context, 0, 0, 0), "a connection");
        long _ = F.BIO_UP_REF.value(errno, input, 0, 0, 0);
        long _ = F.SET_BIO.value(errno, connection, input, output, 0);
        long _ = F.SET_CONNECT_STATE.value(errno, connection, 0, 0, 0);
        return connection;
    }

    public void setInput(long connection, long input) {
        long _ = F.BIO_UP_REF.value(errno, input, 0, 0, 0);
        long _ = F.SET0_RBIO.value(errno, connection, input, 0, 0);
    }

    /// Sends this name to the server (SNI).
    ///
    /// @param name the address of a text that ends with a zero
    public void setServerName(long connection, long name) {
        check(
                F.CTRL.value(errno, connection, CTRL_SET_TLSEXT_HOSTNAME, 0, name),
                "send the server's name");
    }

    public void free(long connection) {
        long _ = F.FREE.value(errno, connection, 0, 0, 0);
    }

    /// @return 1 when the handshake is done, otherwise see [#error]
    public int handshake(long connection) {
        return (int) F.DO_HANDSHAKE.value(errno, connection, 0, 0, 0);
    }

    /// @return the number of decrypted bytes, otherwise see [#error]
    public int read(long connection, long to, int bytesMax) {
        return (int) F.READ.value(errno, connection, to, bytesMax, 0);
    }

    /// @return the number of encrypted bytes, otherwise see [#error]
    public int write(long connection, long from, int bytes) {
        return (int) F.WRITE.value(errno, connection, from, bytes, 0);
    }

    /// Writes a close_notify if that is possible now.
    public void shutdown(long connection) {
        if (F.SHUTDOWN.value(errno, connection, 0, 0, 0) < 0) {
            long _ = F.ERR_CLEAR.value(errno, 0, 0, 0, 0);
        }
    }

    /// Why a function of this connection returned this result.
    public int error(long connection, int result) {
        return (int) F.GET_ERROR.value(errno, connection, result, 0, 0);
    }

    /// The words for what failed last on this thread, and forgets it.
    public String failure(long connection) {
        String reason = reason();
        long verified = F.GET_VERIFY_RESULT.value(errno, connection, 0, 0, 0);
        if (verified == 0) {
            return reason;
        }
        return reason + ": " + text(F.VERIFY_WORDS.value(errno, verified, 0, 0, 0)).orElse("");
    }

    private String reason() {
        long first = F.ERR_GET.value(errno, 0, 0, 0, 0);
        long _ = F.ERR_CLEAR.value(errno, 0, 0, 0, 0);
        return text(F.ERR_WORDS.value(errno, first, 0, 0, 0)).orElse("no reason was given");
    }

    /// Whether the server asked for the client's certificate: only then a client has got signature
    /// algorithms. With -1 as index the function counts them, and reads no other argument.
    public boolean certificateAsked(long connection) {
        return F.GET_SIGALGS.value(errno, connection, -1, 0, 0) > 0;
    }

    public boolean resumed(long connection) {
        return F.SESSION_REUSED.value(errno, connection, 0, 0, 0) == 1;
    }

    /// What a later connection needs to resume this one; 0 if there is nothing.
    public long session(long connection) {
        long session = F.GET1_SESSION.value(errno, connection, 0, 0, 0);
        if (session == 0 || resumable(session)) {
            return session;
        }
        freeSession(session);
        return 0;
    }

    public boolean resumable(long session) {
        return F.SESSION_IS_RESUMABLE.value(errno, session, 0, 0, 0) == 1;
    }

    public void freeSession(long session) {
        long _ = F.SESSION_FREE.value(errno, session, 0, 0, 0);
    }

    public void resume(long connection, long session) {
        check(F.SET_SESSION.value(errno, connection, session, 0, 0), "resume a session");
    }

    /// For example "TLSv1.3".
    public String protocol(long connection) {
        return text(F.GET_VERSION.value(errno, connection, 0, 0, 0)).orElseThrow();
    }

    /// The standard's name, for example "TLS_AES_256_GCM_SHA384".
    public String cipher(long connection) {
        long cipher = F.GET_CIPHER.value(errno, connection, 0, 0, 0);
        return text(F.CIPHER_NAME.value(errno, cipher, 0, 0, 0)).orElseThrow();
    }
}

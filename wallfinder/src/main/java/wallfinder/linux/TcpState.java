package wallfinder.linux;

/// The states of a TCP socket, with the kernel's numbers (`include/net/tcp_states.h`).
public enum TcpState {
    ESTABLISHED(1),
    SYN_SENT(2),
    SYN_RECV(3),
    FIN_WAIT1(4),
    FIN_WAIT2(5),
    TIME_WAIT(6),
    CLOSE(7),
    CLOSE_WAIT(8),
    LAST_ACK(9),
    LISTEN(10),
    CLOSING(11),
    /// A handshake in progress since Linux 4.4; the kernel reports it as SYN_RECV.
    NEW_SYN_RECV(12);

    /// The bits of all states, for a request.
    static final int ALL = 0x1fff;

    /// Those in which a socket takes a local port and does not listen on it.
    static final int HOLDING_A_PORT = ALL & ~LISTEN.bit() & ~CLOSE.bit();

    /// Those in which a socket may have something to send, even after the program closed it.
    static final int SENDING =
            ESTABLISHED.bit() | CLOSE_WAIT.bit() | FIN_WAIT1.bit() | LAST_ACK.bit();

    private static final TcpState[] BY_NUMBER = new TcpState[13];

    static {
        for (TcpState state : values()) {
            BY_NUMBER[state.number] = state;
        }
    }

    private final int number;

    TcpState(int number) {
        this.number = number;
    }

    /// The bit that selects this state in a request.
    int bit() {
        return 1 << number;
    }

    /// The state with this number, [#CLOSE] for an unknown number.
    static TcpState of(int number) {
        TcpState state = number > 0 && number < BY_NUMBER.length ? BY_NUMBER[number] : null;
        return state == null ? CLOSE : state;
    }
}

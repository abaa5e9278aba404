package wallfinder.linux;

/// At which end of a connection a port is.
public enum PortOf {
    THIS_END(SockDiagLayouts.INET_DIAG_BC_S_GE, SockDiagLayouts.INET_DIAG_BC_S_LE),
    OTHER_END(SockDiagLayouts.INET_DIAG_BC_D_GE, SockDiagLayouts.INET_DIAG_BC_D_LE);

    /// The kernel's comparisons with the bounds of a range.
    final int least;

    final int most;

    PortOf(int least, int most) {
        this.least = least;
        this.most = most;
    }
}

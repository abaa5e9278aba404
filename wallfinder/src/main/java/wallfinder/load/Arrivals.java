package wallfinder.load;

/// Decides when a free connection begins its next exchange. An open loop would keep free
/// connections here until its pacer says that a request is due.
sealed interface Arrivals {
    /// A connection has nothing to do.
    void freed(Exchanges exchanges, Exchange exchange);

    /// An exchange has got its answer, or has failed.
    void completed(Exchanges exchanges);

    /// Each connection begins again at once.
    final class Closed implements Arrivals {
        @Override
        public void freed(Exchanges exchanges, Exchange exchange) {
            exchanges.begin(exchange);
        }

        @Override
        public void completed(Exchanges exchanges) {}
    }

    /// All connections begin together, when the last one is free.
    final class Lockstep implements Arrivals {
        private final Tally tally;
        private int free;
        private int outstanding;
        private long startNanos;

        Lockstep(Tally tally) {
            this.tally = tally;
        }

        @Override
        public void freed(Exchanges exchanges, Exchange exchange) {
            if (++free == exchanges.size()) {
                free = 0;
                startNanos = exchanges.now();
                outstanding = exchanges.beginnable();
                for (int slot = 0; slot < exchanges.size(); slot++) {
                    exchanges.begin(exchanges.get(slot));
                }
            }
        }

        @Override
        public void completed(Exchanges exchanges) {
            if (--outstanding == 0) {
                tally.batch(exchanges.now() - startNanos);
            }
        }
    }
}

package wallfinder.load;

/// Decides when a free connection begins its next exchange.
sealed interface Arrivals {
    /// A connection has nothing to do.
    void freed(Exchanges exchanges, Exchange exchange);

    /// An exchange has got its answer, or has failed.
    default void completed(Exchanges exchanges) {}

    /// Begins what has come due by the clock alone. Called after each wait.
    default void proceed(Exchanges exchanges) {}

    /// How long a wait may last before something comes due by the clock alone.
    default long waitNanosMax(Exchanges exchanges) {
        return Long.MAX_VALUE;
    }

    /// Nothing comes due from now on.
    default void stop(long nowNanos) {}

    /// Whether more will come due, or has come due and was not begun. Told only of what the clock
    /// decides.
    default boolean pending() {
        return false;
    }

    /// How many requests have come due and were not begun, because all connections were busy.
    default long waiting(long nowNanos) {
        return 0;
    }

    /// Whether the arrivals themselves bound how often a connection that fails tries again.
    default boolean paced() {
        return false;
    }

    /// Each connection begins again at once.
    final class Closed implements Arrivals {
        @Override
        public void freed(Exchanges exchanges, Exchange exchange) {
            exchanges.begin(exchange);
        }
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

    /// A pacer says when; the connections take turns. A request that comes due while all of them
    /// are busy waits for one, at most for as long as an exchange may take.
    final class Open implements Arrivals {
        /// The first request is due when all connections stand, or after this time.
        static final long OPENING_NANOS_MAX = 1_000_000_000L;

        private final Schedule schedule;
        private final Tally tally;
        private final long patienceNanos;
        private final int[] free;
        private int freeFirst;
        private int freeCount;

        /// How many connections had nothing to do when the last wait began.
        private int idle;

        private boolean started;
        private boolean stopped;
        private final long openingSinceNanos;

        Open(
                Pacer pacer,
                Tally tally,
                int connections,
                long patienceNanos,
                long openingSinceNanos) {
            schedule = new Schedule(pacer);
            this.tally = tally;
            this.patienceNanos = patienceNanos;
            this.openingSinceNanos = openingSinceNanos;
            free = new int[connections];
        }

        @Override
        public void freed(Exchanges exchanges, Exchange exchange) {
            int at = freeFirst + freeCount++;
            free[at < free.length ? at : at - free.length] = exchange.slot;
        }

        private int takeFree() {
            int slot = free[freeFirst];
            freeFirst = freeFirst + 1 < free.length ? freeFirst + 1 : 0;
            freeCount--;
            return slot;
        }

        @Override
        public void proceed(Exchanges exchanges) {
            long now = exchanges.now();
            if (!started) {
                start(exchanges, now);
            }
            while (schedule.due(now - patienceNanos) && exchanges.beginnable() > 0) {
                exchanges.missed(schedule.take());
            }
            while (freeCount > 0 && schedule.due(now) && exchanges.beginnable() > 0) {
                begin(exchanges);
            }
            if (exchanges.beginnable() == 0 && schedule.more()) {
                schedule.stop(schedule.nextNanos() - 1);
            }
            idle = freeCount;
        }

        private void start(Exchanges exchanges, long now) {
            boolean late = now - openingSinceNanos >= OPENING_NANOS_MAX;
            if (!stopped && (exchanges.opening() == 0 || late)) {
                started = true;
                schedule.start(now);
                idle = freeCount;
            }
        }

        /// Where a connection was idle, only the generator itself can be the reason that a request
        /// is sent late. Of several that are due together, each one is sent later than the one
        /// before.
        private void begin(Exchanges exchanges) {
            exchanges.tick();
            long due = schedule.take();
            if (idle > 0) {
                idle--;
                tally.late(exchanges.now() - due);
            } else {
                tally.waited++;
            }
            exchanges.begin(exchanges.get(takeFree()), due);
        }

        /// The time has gone on since the clock was read, so it is read anew.
        @Override
        public long waitNanosMax(Exchanges exchanges) {
            return freeCount > 0 && schedule.more()
                    ? Math.max(0, schedule.nextNanos() - exchanges.clockNanos())
                    : Long.MAX_VALUE;
        }

        @Override
        public void stop(long nowNanos) {
            stopped = true;
            if (started) {
                schedule.stop(nowNanos);
            }
        }

        @Override
        public boolean pending() {
            return schedule.more();
        }

        @Override
        public long waiting(long nowNanos) {
            return schedule.waiting(nowNanos);
        }

        @Override
        public boolean paced() {
            return true;
        }
    }
}

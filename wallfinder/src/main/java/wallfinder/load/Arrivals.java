package wallfinder.load;

/// Decides when a free connection begins its next exchange.
sealed interface Arrivals {
    /// The connects begin now, later than this was made.
    default void opens(long nowNanos) {}

    /// Called when a connection has nothing to do.
    void freed(Exchanges exchanges, Exchange exchange);

    /// Called when an exchange has its answer, or has failed.
    default void completed(Exchanges exchanges) {}

    /// Begins the exchanges that are due. Called after each wait.
    default void proceed(Exchanges exchanges) {}

    /// The longest wait before the clock makes an exchange due.
    default long waitNanosMax(Exchanges exchanges) {
        return Long.MAX_VALUE;
    }

    /// When the first exchange came due, if a clock makes them due.
    default long scheduledNanos() {
        return Long.MIN_VALUE;
    }

    /// From now on no exchange comes due.
    default void stop(long nowNanos) {}

    /// Whether the clock will make more exchanges due, or has made some due that have not begun.
    default boolean pending() {
        return false;
    }

    /// How many requests are due but have not begun because all connections are busy.
    default long waiting(long nowNanos) {
        return 0;
    }

    /// Whether the arrivals limit how often a failing connection tries again.
    default boolean paced() {
        return false;
    }

    /// Each connection begins its next exchange at once.
    final class Closed implements Arrivals {
        @Override
        public void freed(Exchanges exchanges, Exchange exchange) {
            exchanges.begin(exchange);
        }
    }

    /// All connections begin together when the last one is free.
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

    /// A pacer decides when requests are due, and the connections take turns. A request that comes
    /// due while all connections are busy waits for one, for at most the time of a whole exchange.
    final class Open implements Arrivals {
        /// The first request is due when all connections are established, at the latest after this
        /// time.
        static final long OPENING_NANOS_MAX = 1_000_000_000L;

        private final Schedule schedule;
        private final Tally tally;
        private final long patienceNanos;
        private final int[] free;
        private int freeFirst;
        private int freeCount;

        /// How many connections were free when the last wait began.
        private int idle;

        private boolean started;
        private boolean stopped;
        private long openingSinceNanos;
        private long scheduledNanos = Long.MIN_VALUE;

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
        public void opens(long nowNanos) {
            openingSinceNanos = nowNanos;
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
                scheduledNanos = now;
                tally.scheduled = true;
                idle = freeCount;
            }
        }

        /// If a connection was idle, only the generator can have delayed the request. Of several
        /// requests that are due together, each one is sent after the one before.
        private void begin(Exchanges exchanges) {
            exchanges.tick();
            long due = schedule.take();
            tally.goes(exchanges.now());
            if (idle > 0) {
                idle--;
                tally.late(exchanges.now() - due);
            } else {
                tally.waited++;
            }
            exchanges.begin(exchanges.get(takeFree()), due);
        }

        /// Reads the clock again, because time has passed since the last reading.
        @Override
        public long waitNanosMax(Exchanges exchanges) {
            return freeCount > 0 && schedule.more()
                    ? Math.max(0, schedule.nextNanos() - exchanges.clockNanos())
                    : Long.MAX_VALUE;
        }

        @Override
        public long scheduledNanos() {
            return scheduledNanos;
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

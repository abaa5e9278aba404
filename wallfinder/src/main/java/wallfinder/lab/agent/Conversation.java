package wallfinder.lab.agent;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;
import wallfinder.observation.Counter;
import wallfinder.observation.Key;
import wallfinder.observation.Peer;
import wallfinder.observation.Timeline;
import wallfinder.remote.Frames;
import wallfinder.sampling.CarriedSamples;

/// What an agent has said so far. A thread reads its messages until the end of the stream.
final class Conversation {
    /// Round trips of 5 hours. Beyond that, each one replaces one in the middle.
    private static final int TRIPS_MAX = 10_000;

    private final InputStream in;
    private CarriedSamples samples = new CarriedSamples();
    private final List<RoundTrip> trips = new ArrayList<>();
    private Message.@Nullable Hello hello;
    private Message.@Nullable Watching watching;
    private Message.@Nullable Failed failed;
    private Message.@Nullable Served served;
    private Message.@Nullable Closed closed;
    private Message.@Nullable Lived lived;
    private List<Counter> counters = List.of();
    private double[] row = new double[0];
    private HeardLoad load = new HeardLoad(null);
    private HeardProfile profile = new HeardProfile();
    private long heardNanos = System.nanoTime();
    private int pings;
    private int pongs;
    private long pingedNanos;
    private @Nullable Peer last;
    private boolean sampled;
    private boolean complete;
    private boolean ended;
    private String why = "the connection ended";

    Conversation(InputStream in) {
        this.in = in;
    }

    void start() {
        Thread.ofPlatform().daemon().name("agent").start(this::listen);
    }

    private void listen() {
        try {
            Frames.awaitBegin(in);
            for (byte[] frame = Frames.read(in); frame != null; frame = Frames.read(in)) {
                long now = System.nanoTime();
                hear(Message.read(frame), now);
            }
            end(null);
        } catch (IOException | IllegalArgumentException | IllegalStateException e) {
            end(String.valueOf(e.getMessage()));
        }
    }

    private synchronized void end(@Nullable String reason) {
        ended = true;
        why = reason == null ? why : reason;
        notifyAll();
    }

    /// @param now when the message was complete
    private synchronized void hear(Message message, long now) throws IOException {
        heardNanos = now;
        switch (message) {
            case Message.Hello first -> hello = first;
            case Message.Watching begun -> {
                begin(begun.counters(), begun.startNanos());
                watching = begun;
                last = begun.peer();
            }
            case Message.Sample sample -> add(sample);
            case Message.Halved _ -> samples.halve();
            case Message.Pong pong -> keep(pong, now);
            case Message.Watched watched -> {
                samples.end(watched.counters(), found(watched.counters(), watched.found()));
                last = watched.peer();
                complete = true;
            }
            case Message.OfLoad(LoadMessage content) -> hear(content);
            case Message.OfProfile(ProfileMessage content) -> profile.hear(content);
            case Message.Failed reason -> failed = reason;
            case Message.Served start -> served = start;
            case Message.Closed end -> closed = end;
            case Message.Lived seen -> lived = seen;
            case Message.Watch _, Message.Ping _, Message.Stop _ ->
                    throw new IOException("no agent sends a " + message.getClass().getSimpleName());
            case Message.WatchServices _, Message.Serve _, Message.EndLife _, Message.Close _ ->
                    throw new IOException("no agent sends a " + message.getClass().getSimpleName());
        }
        notifyAll();
    }

    /// The next watch begins. The clocks are compared anew, because they may drift otherwise now.
    synchronized void renew() {
        samples = new CarriedSamples();
        trips.clear();
        watching = null;
        sampled = false;
        complete = false;
        failed = null;
    }

    /// The agent gets its next load.
    synchronized void renewLoad(Arrival arrival) {
        renew();
        counters = List.of();
        row = new double[0];
        load = new HeardLoad(arrival);
    }

    /// The agent begins its next profile.
    synchronized void renewProfile() {
        profile = new HeardProfile();
    }

    private void add(Message.Sample sample) throws IOException {
        for (int i = 0; i < sample.columns().length; i++) {
            int column = sample.columns()[i];
            if (column < 0 || column >= row.length) {
                throw new IOException("a sample of an unknown counter");
            }
            row[column] = sample.values()[i];
        }
        if (sample.last()) {
            samples.addLast(sample.nanos(), row);
            sampled = true;
        } else {
            samples.add(sample.nanos(), row);
        }
    }

    private void hear(LoadMessage message) throws IOException {
        switch (message) {
            case LoadMessage.Seeing(List<Counter> all, long startNanos) -> begin(all, startNanos);
            case LoadMessage.Seen(List<Counter> all, List<Integer> places) ->
                    samples.end(all, found(all, places));
            default -> complete |= load.hear(message);
        }
    }

    private void begin(List<Counter> all, long startNanos) {
        samples.begin(all, startNanos);
        counters = all;
        row = new double[all.size()];
    }

    private Set<Counter> found(List<Counter> all, List<Integer> places) throws IOException {
        Set<Counter> found = new HashSet<>();
        if (all.size() != row.length) {
            throw new IOException("another number of counters at the end");
        }
        for (int place : places) {
            if (place < 0 || place >= row.length) {
                throw new IOException("an unknown counter was found");
            }
            found.add(all.get(place));
        }
        return found;
    }

    private void keep(Message.Pong pong, long now) {
        if (pong.number() == pings) {
            if (trips.size() == TRIPS_MAX) {
                trips.remove(TRIPS_MAX / 2);
            }
            trips.add(new RoundTrip(pingedNanos, pong.receivedNanos(), pong.sentNanos(), now));
            pongs = pong.number();
        }
    }

    /// Sends a ping and waits for its answer.
    ///
    /// @return false if none came
    boolean ping(OutputStream out, Duration time) {
        Message.Ping ping;
        synchronized (this) {
            pings++;
            ping = new Message.Ping(pings);
            pingedNanos = System.nanoTime();
        }
        try {
            ping.send(out);
        } catch (IOException e) {
            return false;
        }
        return await(time, () -> pongs == ping.number()) && pongs() == ping.number();
    }

    private synchronized int pongs() {
        return pongs;
    }

    /// @return false if neither the fact nor the end came in time
    synchronized boolean await(Duration time, BooleanSupplier fact) {
        long end = System.nanoTime() + time.toNanos();
        try {
            while (!ended && failed == null && !fact.getAsBoolean()) {
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    return false;
                }
                wait(left);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    Message.@Nullable Hello hello(Duration time) {
        await(time, () -> hello != null);
        return hello;
    }

    Message.@Nullable Watching watching(Duration time) {
        await(time, () -> watching != null);
        return watching;
    }

    /// The services of the next trial start.
    synchronized void renewServices() {
        served = null;
        closed = null;
        lived = null;
        failed = null;
    }

    synchronized Message.@Nullable Served served() {
        return served;
    }

    Message.@Nullable Lived lived(Duration time) {
        await(time, () -> lived != null);
        return lived;
    }

    Message.@Nullable Closed closed(Duration time) {
        await(time, () -> closed != null);
        return closed;
    }

    void awaitEnd(Duration time) {
        await(time, () -> complete);
    }

    synchronized Message.@Nullable Failed failed() {
        return failed;
    }

    /// Returns the failure, if there is one, and forgets it.
    synchronized Message.@Nullable Failed takeFailed() {
        Message.Failed taken = failed;
        failed = null;
        return taken;
    }

    synchronized boolean hasLastSample() {
        return sampled;
    }

    /// Whether no more samples come.
    synchronized boolean isOver() {
        return ended || complete || failed != null;
    }

    /// Whether the agent says nothing any more.
    synchronized boolean hasEnded() {
        return ended;
    }

    /// Whether the agent ended before the watch did.
    synchronized boolean isLost() {
        return !complete;
    }

    /// What the agent said about its load. Read it under the lock of this conversation.
    synchronized HeardLoad load() {
        return load;
    }

    /// What the agent said about its profile. Read it under the lock of this conversation.
    synchronized HeardProfile profile() {
        return profile;
    }

    /// When the last message came.
    synchronized long heardNanos() {
        return heardNanos;
    }

    synchronized String why() {
        return why;
    }

    synchronized List<RoundTrip> trips() {
        return List.copyOf(trips);
    }

    synchronized Peer peer() {
        Peer known = last;
        if (known == null) {
            throw new IllegalStateException("the watch has not begun");
        }
        return known;
    }

    /// The value in the last sample; zero before the first.
    synchronized double latest(Key key) {
        for (int i = 0; i < counters.size(); i++) {
            if (counters.get(i).key().equals(key)) {
                return row[i];
            }
        }
        return 0;
    }

    synchronized boolean hasSamples() {
        return row.length > 0;
    }

    synchronized long startNanos() {
        return samples.startNanos();
    }

    /// The newest values.
    synchronized Timeline recent() {
        return samples.recent();
    }

    synchronized Timeline timeline() {
        return samples.timeline();
    }
}

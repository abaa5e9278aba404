package wallfinder.load;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.random.RandomGenerator;

/// Spoils TLS records: flips bits, changes lengths and types, and drops, repeats, inserts or
/// truncates parts.
final class Spoiling {
    private static final int HEAD_BYTES = 5;
    private static final int FLOOD_RECORDS = 300;

    private Spoiling() {}

    /// Spoils a flight of several records: all of it, one record, or the order.
    static byte[] flight(byte[] flight, RandomGenerator random) {
        List<byte[]> records = records(flight);
        int at = random.nextInt(records.size());
        switch (random.nextInt(8)) {
            case 0 -> {
                return spoil(flight, random);
            }
            case 1 -> Collections.swap(records, at, random.nextInt(records.size()));
            case 2 -> records.add(random.nextInt(records.size() + 1), records.get(at).clone());
            case 3 -> records.remove(at);
            default -> records.set(at, spoil(records.get(at), random));
        }
        return records.stream().reduce(new byte[0], Spoiling::joined);
    }

    private static List<byte[]> records(byte[] flight) {
        List<byte[]> records = new ArrayList<>();
        int at = 0;
        do {
            int end = flight.length;
            if (at + HEAD_BYTES <= flight.length) {
                int length = (flight[at + 3] & 0xff) << 8 | flight[at + 4] & 0xff;
                end = Math.min(end, at + HEAD_BYTES + length);
            }
            records.add(Arrays.copyOfRange(flight, at, end));
            at = end;
        } while (at < flight.length);
        return records;
    }

    static byte[] spoil(byte[] record, RandomGenerator random) {
        return switch (random.nextInt(10)) {
            case 0, 1 -> turned(record, random);
            case 2 -> set(record, 0, random.nextInt(18, 26));
            case 3 -> set(set(record, 3, random.nextInt(256)), 4, random.nextInt(256));
            case 4 -> Arrays.copyOf(record, random.nextInt(record.length + 1));
            case 5 -> joined(record, record);
            case 6 -> new byte[0];
            case 7 -> joined(garbage(random.nextInt(1, 100), random), record);
            case 8 -> joined(made(random.nextInt(0, 200), random), record);
            default -> joined(flood(random), record);
        };
    }

    private static byte[] turned(byte[] record, RandomGenerator random) {
        for (int i = random.nextInt(1, 5); i > 0 && record.length > 0; i--) {
            record[random.nextInt(record.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return record;
    }

    private static byte[] set(byte[] record, int at, int value) {
        if (at < record.length) {
            record[at] = (byte) value;
        }
        return record;
    }

    private static byte[] garbage(int length, RandomGenerator random) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /// A record with a correct header.
    private static byte[] made(int length, RandomGenerator random) {
        byte[] bytes = garbage(HEAD_BYTES + length, random);
        bytes[0] = (byte) random.nextInt(20, 24);
        bytes[1] = 3;
        bytes[2] = 3;
        bytes[3] = (byte) (length >> 8);
        bytes[4] = (byte) length;
        return bytes;
    }

    private static byte[] flood(RandomGenerator random) {
        byte[] one = made(random.nextInt(0, 3), random);
        byte[] all = {};
        for (int i = 0; i < FLOOD_RECORDS; i++) {
            all = joined(all, one);
        }
        return all;
    }

    private static byte[] joined(byte[] first, byte[] second) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(first);
        all.writeBytes(second);
        return all.toByteArray();
    }
}

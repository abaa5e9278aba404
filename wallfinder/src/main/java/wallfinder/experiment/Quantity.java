package wallfinder.experiment;

import java.math.BigInteger;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Parses quantities on the command line and in experiments.
///
/// - counts: SI suffixes, `10k`, `1.5M`, `2G`, in either case, as wrk takes them
/// - durations: `250us`, `500ms`, `30s`, `5m`, `1h`; a bare number is seconds, as in wrk
/// - bytes: all suffixes are binary, as in docker and `-Xmx`: `512m`, `512MB` and `512MiB` are all
///   536,870,912; a bare number is bytes
/// - shares: `0.1%`
/// - CPUs: `1.5`, or thousandths as `1500m`
public final class Quantity {
    /// More digits than any quantity needs. Bounds the work of the conversion.
    private static final int LENGTH_MAX = 40;

    private static final Pattern FORM = Pattern.compile("(\\d+(?:\\.\\d+)?|\\.\\d+)\\s*([a-zµ%]*)");

    private static final BigInteger HUNDRED = BigInteger.valueOf(100);
    private static final BigInteger THOUSAND = BigInteger.valueOf(1_000);

    private static final Map<String, Exact> COUNTS =
            Map.of(
                    "", Exact.of(1),
                    "k", Exact.of(1_000L),
                    "m", Exact.of(1_000_000L),
                    "g", Exact.of(1_000_000_000L));

    private static final Exact SECOND_NANOS = Exact.of(1_000_000_000L);
    private static final Map<String, Exact> TIMES =
            Map.of(
                    "us", Exact.of(1_000L),
                    "µs", Exact.of(1_000L),
                    "ms", Exact.of(1_000_000L),
                    "s", SECOND_NANOS,
                    "m", SECOND_NANOS.times(Exact.of(60)),
                    "h", SECOND_NANOS.times(Exact.of(3_600)));

    private static final String BYTE_UNITS = " kmg";

    private Quantity() {}

    /// A number without rounding. Loading `BigDecimal` makes 40 KB of powers of five, which takes
    /// longer than reading the rest of a command line.
    private record Exact(BigInteger over, BigInteger under) {
        static Exact of(long whole) {
            return new Exact(BigInteger.valueOf(whole), BigInteger.ONE);
        }

        /// @param text digits, with an optional decimal point
        static Exact parse(String text) {
            int decimals = text.contains(".") ? text.length() - 1 - text.indexOf('.') : 0;
            return new Exact(new BigInteger(text.replace(".", "")), BigInteger.TEN.pow(decimals));
        }

        Exact times(Exact other) {
            return new Exact(over.multiply(other.over), under.multiply(other.under));
        }

        double doubleValue() {
            return over.doubleValue() / under.doubleValue();
        }

        /// @throws ArithmeticException if it is not a whole number, or too large
        long longValueExact() {
            BigInteger[] parts = over.divideAndRemainder(under);
            if (parts[1].signum() != 0) {
                throw new ArithmeticException("not whole");
            }
            return parts[0].longValueExact();
        }
    }

    /// A whole number, such as `10k`.
    public static long count(String text) {
        return whole(text, scaled(text, COUNTS), "a count", "64, 10k or 1.5M");
    }

    /// A rate or another number that may have a fraction, such as `2.5k`.
    public static double number(String text) {
        return known(text, scaled(text, COUNTS), "a number", "250, 2.5k or 1M").doubleValue();
    }

    /// A duration; a bare number is seconds.
    public static Duration duration(String text) {
        Exact nanos = scaled(text, TIMES);
        if (nanos == null && isBare(text)) {
            nanos = scaled(text + "s", TIMES);
        }
        return Duration.ofNanos(whole(text, nanos, "a duration", "500ms, 30s, 5m or 1h"));
    }

    /// Whether the text is a number without a unit.
    static boolean isBare(String text) {
        return scaled(text, Map.of("", Exact.of(1))) != null;
    }

    /// A size of memory; all suffixes are binary.
    public static long bytes(String text) {
        Exact bytes = null;
        Matcher form = form(text);
        if (form.matches()) {
            Exact unit = byteUnit(form.group(2));
            bytes = unit == null ? null : Exact.parse(form.group(1)).times(unit);
        }
        return whole(text, bytes, "a size in bytes", "512m, 512MiB or 1g");
    }

    /// A size of memory in the largest unit that needs no fraction, such as `512m`.
    public static String bytesText(long bytes) {
        int unit = 0;
        while (bytes != 0 && bytes % 1024 == 0 && unit < BYTE_UNITS.length() - 1) {
            bytes /= 1024;
            unit++;
        }
        return bytes + (unit == 0 ? "" : BYTE_UNITS.substring(unit, unit + 1));
    }

    /// A share of one, written as a percentage: `0.1%` is 0.001.
    public static double share(String text) {
        Exact share = scaled(text, Map.of("%", new Exact(BigInteger.ONE, HUNDRED)));
        return known(text, share, "a share", "0.1% or 5%").doubleValue();
    }

    /// A number of CPUs (`0.5`) or thousandths (`500m`).
    public static double cpus(String text) {
        Exact cpus =
                scaled(text, Map.of("", Exact.of(1), "m", new Exact(BigInteger.ONE, THOUSAND)));
        return known(text, cpus, "a number of CPUs", "2, 0.5 or 500m").doubleValue();
    }

    private static @Nullable Exact byteUnit(String suffix) {
        int power =
                switch (suffix) {
                    case "", "b" -> 0;
                    case "k", "kb", "ki", "kib" -> 1;
                    case "m", "mb", "mi", "mib" -> 2;
                    case "g", "gb", "gi", "gib" -> 3;
                    case "t", "tb", "ti", "tib" -> 4;
                    default -> -1;
                };
        return power < 0 ? null : Exact.of(1L << (10 * power));
    }

    private static Matcher form(String text) {
        String shown = text.length() > LENGTH_MAX ? "" : text.strip();
        return FORM.matcher(shown.toLowerCase(Locale.ROOT));
    }

    private static @Nullable Exact scaled(String text, Map<String, Exact> units) {
        Matcher form = form(text);
        if (!form.matches()) {
            return null;
        }
        Exact unit = units.get(form.group(2));
        return unit == null ? null : Exact.parse(form.group(1)).times(unit);
    }

    private static Exact known(String text, @Nullable Exact value, String kind, String examples) {
        if (value == null) {
            throw new UsageException(
                    "'" + shown(text) + "' is not " + kind,
                    "it must be a number, with one of the known units",
                    "Write it as " + examples);
        }
        return value;
    }

    private static long whole(String text, @Nullable Exact value, String kind, String examples) {
        try {
            return known(text, value, kind, examples).longValueExact();
        } catch (ArithmeticException _) {
            throw new UsageException(
                    "'" + shown(text) + "' is not " + kind,
                    "it is too large, or too small a fraction",
                    "Write it as " + examples);
        }
    }

    private static String shown(String text) {
        return text.length() > LENGTH_MAX ? text.substring(0, LENGTH_MAX) + "..." : text;
    }
}

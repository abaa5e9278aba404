package wallfinder.lab.study;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import wallfinder.observation.Answers;
import wallfinder.observation.Caveat;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.Key;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Thinned;
import wallfinder.record.Rounded;

/// Converts records to JSON and back by their components, so that a new component needs no change
/// here. A component that an older file lacks becomes null, zero, or empty.
public final class RecordJson {
    private static final String KIND = "@kind";

    private RecordJson() {}

    public static @Nullable Object toJson(@Nullable Object value) {
        return switch (value) {
            case null -> null;
            case Histogram histogram -> packed(histogram);
            case LoadOutcome load -> RecordedLoad.toJson(load);
            case Enum<?> word -> word.name();
            case Duration duration -> duration.toString();
            case double[] numbers -> {
                List<@Nullable Object> list = new ArrayList<>();
                for (double number : numbers) {
                    list.add(Rounded.exact(number));
                }
                yield list;
            }
            case long[] numbers -> numbers;
            case Double number -> Rounded.exact(number);
            case List<?> list -> list.stream().map(RecordJson::toJson).toList();
            case Map<?, ?> map -> {
                Map<String, @Nullable Object> json = new LinkedHashMap<>();
                map.forEach((key, entry) -> json.put(String.valueOf(key), toJson(entry)));
                yield json;
            }
            case Counter counter -> ofCounter(counter);
            case Caveat caveat -> Map.of("id", caveat.id(), "advice", caveat.advice());
            case Record record -> ofRecord(record);
            default -> value;
        };
    }

    private static Map<String, @Nullable Object> ofRecord(Record record) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        if (record.getClass().getInterfaces().length > 0) {
            json.put(KIND, record.getClass().getName());
        }
        json.putAll(components(record));
        return json;
    }

    static Map<String, @Nullable Object> components(Record record) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            try {
                Object value = component.getAccessor().invoke(record);
                if (value instanceof LoadOutcome.Loop loop) {
                    json.putAll(RecordedLoad.toJson(loop));
                } else if (RecordedLoad.isPart(component.getType())) {
                    json.putAll(components((Record) value));
                } else if (!(value instanceof Thinned)) {
                    // The order of the times is large, and needed only until the trial ends.
                    json.put(component.getName(), toJson(value));
                }
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
        return json;
    }

    /// Other readers of the file need the kind. Here, the name of a key determines its kind.
    private static Map<String, @Nullable Object> ofCounter(Counter counter) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("name", counter.name());
        json.put("end", counter.end().name());
        json.put("kind", counter.kind().name());
        json.put("source", counter.source());
        return json;
    }

    private static String packed(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        byte[] bytes = new byte[length];
        buffer.get(0, bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    public static @Nullable Object read(@Nullable JsonNode json, Type type) {
        Class<?> raw = (Class<?>) (type instanceof ParameterizedType of ? of.getRawType() : type);
        if (json == null || json.isMissingNode()) {
            return nothing(raw);
        }
        if (json.isNull()) {
            return raw.isPrimitive() ? nothing(raw) : null;
        }
        if (raw == double.class || raw == Double.class) {
            return json.asDouble();
        } else if (raw == int.class || raw == Integer.class) {
            return json.asInt();
        } else if (raw == long.class || raw == Long.class) {
            return json.asLong();
        } else if (raw == boolean.class || raw == Boolean.class) {
            return json.asBoolean();
        } else if (raw == Histogram.class) {
            return unpacked(json.asString());
        } else if (raw == LoadOutcome.class) {
            return record(json, RecordedLoad.kind(json));
        } else if (raw == LoadOutcome.Loop.class) {
            return RecordedLoad.loop(json);
        } else if (List.class.isAssignableFrom(raw)) {
            return list(json, argument(type, 0));
        } else if (Map.class.isAssignableFrom(raw)) {
            return map(json, argument(type, 1));
        }
        return other(json, raw);
    }

    private static @Nullable Object nothing(Class<?> raw) {
        if (raw == double.class) {
            return Double.NaN;
        } else if (raw == int.class) {
            return 0;
        } else if (raw == long.class) {
            return 0L;
        } else if (raw == boolean.class) {
            return false;
        } else if (raw == Histogram.class) {
            return new Histogram(3);
        } else if (List.class.isAssignableFrom(raw)) {
            return List.of();
        } else if (raw == Thinned.class) {
            return Thinned.NONE;
        } else if (raw == Answers.class) {
            return Answers.NONE;
        }
        return Map.class.isAssignableFrom(raw) ? new TreeMap<>() : null;
    }

    private static @Nullable Object other(JsonNode json, Class<?> raw) {
        if (raw == String.class) {
            return json.asString();
        } else if (raw == Duration.class) {
            return Duration.parse(json.asString());
        } else if (raw.isEnum()) {
            return Stream.of(raw.getEnumConstants())
                    .filter(constant -> ((Enum<?>) constant).name().equals(json.asString()))
                    .findFirst()
                    .orElseThrow(
                            () -> new IllegalArgumentException(raw + " has no " + json.asString()));
        } else if (raw == Counter.class) {
            return new Counter(
                    Key.parse(json.required("name").asString()),
                    End.valueOf(json.required("end").asString()),
                    json.required("source").asString());
        } else if (raw == long[].class) {
            return json.valueStream().mapToLong(JsonNode::asLong).toArray();
        } else if (raw == double[].class) {
            return json.valueStream()
                    .mapToDouble(value -> value.isNull() ? Double.NaN : value.asDouble())
                    .toArray();
        }
        return raw == Caveat.class
                ? Caveat.read(json.path("id").asString(), json.path("advice").asString())
                : record(json, raw);
    }

    static Object record(JsonNode json, Class<?> declared) {
        try {
            Class<?> kind = json.has(KIND) ? Class.forName(json.get(KIND).asString()) : declared;
            if (!kind.isRecord() || !declared.isAssignableFrom(kind)) {
                throw new IllegalArgumentException(kind + " is no " + declared);
            }
            RecordComponent[] components = kind.getRecordComponents();
            Class<?>[] types = new Class<?>[components.length];
            @Nullable Object[] values = new @Nullable Object[components.length];
            for (int i = 0; i < components.length; i++) {
                types[i] = components[i].getType();
                JsonNode value =
                        RecordedLoad.isPart(types[i]) ? json : json.get(components[i].getName());
                values[i] = read(value, components[i].getGenericType());
            }
            return kind.getDeclaredConstructor(types).newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot make a " + declared, e);
        }
    }

    private static Type argument(Type type, int index) {
        return ((ParameterizedType) type).getActualTypeArguments()[index];
    }

    private static List<@Nullable Object> list(JsonNode json, Type of) {
        List<@Nullable Object> list = new ArrayList<>();
        json.forEach(entry -> list.add(read(entry, of)));
        return list;
    }

    private static Map<String, @Nullable Object> map(JsonNode json, Type of) {
        Map<String, @Nullable Object> map = new TreeMap<>();
        json.forEachEntry((key, entry) -> map.put(key, read(entry, of)));
        return map;
    }

    private static Histogram unpacked(String text) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException(e);
        }
    }
}

package wallfinder.mcp;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// One argument of a tool.
///
/// @param description for the caller
record Parameter(String name, Kind kind, String description) {
    static final int TEXT_CHARS_MAX = 2000;
    static final int TEXTS_MAX = 20;

    sealed interface Kind {}

    record Text() implements Kind {}

    record Count(int least, int most) implements Kind {}

    record Flag() implements Kind {}

    record Texts() implements Kind {}

    static Parameter text(String name, String description) {
        return new Parameter(name, new Text(), description);
    }

    static Parameter count(String name, int most, String description) {
        return new Parameter(name, new Count(1, most), description);
    }

    static Parameter flag(String name, String description) {
        return new Parameter(name, new Flag(), description);
    }

    static Parameter texts(String name, String description) {
        return new Parameter(name, new Texts(), description);
    }

    /// The JSON schema of all arguments of a tool.
    static Map<String, Object> schema(List<Parameter> parameters, List<String> required) {
        Map<String, Object> properties = new LinkedHashMap<>();
        parameters.forEach(parameter -> properties.put(parameter.name, parameter.schema()));
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("type", "object");
        schema.put("properties", properties);
        schema.put("required", required);
        schema.put("additionalProperties", false);
        return schema;
    }

    private Map<String, Object> schema() {
        Map<String, Object> schema = new LinkedHashMap<>();
        switch (kind) {
            case Text _ -> {
                schema.put("type", "string");
                schema.put("maxLength", TEXT_CHARS_MAX);
            }
            case Count count -> {
                schema.put("type", "integer");
                schema.put("minimum", count.least);
                schema.put("maximum", count.most);
            }
            case Flag _ -> schema.put("type", "boolean");
            case Texts _ -> {
                schema.put("type", "array");
                schema.put("items", Map.of("type", "string", "maxLength", TEXT_CHARS_MAX));
                schema.put("maxItems", TEXTS_MAX);
            }
        }
        schema.put("description", description);
        return schema;
    }
}

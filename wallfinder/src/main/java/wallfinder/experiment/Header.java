package wallfinder.experiment;

/// @param value may contain variables such as `{counter}`, see [Template]
public record Header(String name, String value) {
    public Header {
        if (!Token.is(name)) {
            throw new UsageException(
                    "the header \"" + name + "\" cannot be used",
                    "its name is not a token of HTTP (RFC 9110, section 5.6.2)",
                    "write it as in Accept: application/json");
        }
        // A line end in a header could end the request.
        if (value.chars().anyMatch(c -> (c < ' ' && c != '\t') || c == 0x7f)) {
            throw new UsageException(
                    "the header \"" + name + "\" cannot be used",
                    "its value contains a control character",
                    "remove this character");
        }
    }

    public boolean is(String other) {
        return name.equalsIgnoreCase(other);
    }
}

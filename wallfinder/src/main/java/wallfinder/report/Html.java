package wallfinder.report;

/// HTML under construction. Everything that is not markup goes through [#text].
final class Html {
    private final StringBuilder html = new StringBuilder();

    Html raw(String markup) {
        html.append(markup);
        return this;
    }

    Html text(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> html.append("&amp;");
                case '<' -> html.append("&lt;");
                case '>' -> html.append("&gt;");
                case '"' -> html.append("&quot;");
                case '\'' -> html.append("&#39;");
                default -> html.append(c);
            }
        }
        return this;
    }

    /// An element that holds only text.
    Html element(String name, String cssClass, String text) {
        raw("<" + name + (cssClass.isEmpty() ? "" : " class=\"" + cssClass + "\"") + ">");
        return text(text).raw("</" + name + ">\n");
    }

    @Override
    public String toString() {
        return html.toString();
    }
}

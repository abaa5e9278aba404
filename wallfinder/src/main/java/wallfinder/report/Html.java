package wallfinder.report;

import java.util.List;
import wallfinder.record.Harmless;

/// HTML under construction. Everything that is not markup goes through [#text].
final class Html {
    private final StringBuilder html = new StringBuilder();

    Html raw(String markup) {
        html.append(markup);
        return this;
    }

    /// Marks of direction would change what a reader sees on a page, too.
    Html text(String raw) {
        String text = Harmless.lines(raw);
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

    /// An element that contains only text.
    Html element(String name, String cssClass, String text) {
        raw("<" + name + (cssClass.isEmpty() ? "" : " class=\"" + cssClass + "\"") + ">");
        return text(text).raw("</" + name + ">\n");
    }

    /// A paragraph for each sentence, which gets its full stop here.
    void paragraphs(String cssClass, List<String> sentences) {
        sentences.forEach(sentence -> element("p", cssClass, sentence + "."));
    }

    void table(Table<?> table) {
        List<List<String>> rows = table.rows();
        raw("<div class=\"wide\" tabindex=\"0\"><table>\n<thead>");
        row("th", rows.getFirst(), table);
        raw("</thead>\n<tbody>\n");
        rows.stream().skip(1).forEach(row -> row("td", row, table));
        raw("</tbody></table></div>\n");
    }

    private void row(String cell, List<String> texts, Table<?> table) {
        raw("<tr>");
        for (int i = 0; i < texts.size(); i++) {
            // A column of names may have no head of its own.
            String name = texts.get(i).isEmpty() ? "td" : cell;
            element(name, table.columns().get(i).figures() ? "n" : "", texts.get(i));
        }
        raw("</tr>\n");
    }

    @Override
    public String toString() {
        return html.toString();
    }
}

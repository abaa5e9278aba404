package wallfinder.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import wallfinder.record.NumberText;

/// A table for the terminal and the page: a row for each item.
record Table<T>(List<Column<T>> columns, List<T> items) {
    /// The cell of a figure that was not measured.
    static final String UNKNOWN = "-";

    /// @param figures whether the cells are figures, which are aligned at the right
    record Column<T>(String head, boolean figures, Function<T, String> cell) {}

    static <T> Column<T> words(String head, Function<T, String> cell) {
        return new Column<>(head, false, cell);
    }

    static <T> Column<T> figures(String head, Function<T, String> cell) {
        return new Column<>(head, true, cell);
    }

    /// Leaves out the columns without any value.
    ///
    /// @param kept the number of the first columns that stay in any case
    Table<T> withoutUnknown(int kept) {
        List<Column<T>> shown = new ArrayList<>(columns.subList(0, kept));
        columns.stream()
                .skip(kept)
                .filter(column -> !items.stream().map(column.cell()).allMatch(UNKNOWN::equals))
                .forEach(shown::add);
        return new Table<>(List.copyOf(shown), items);
    }

    /// The names of the columns, then a row for each item.
    List<List<String>> rows() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(columns.stream().map(Column::head).toList());
        for (T item : items) {
            rows.add(columns.stream().map(column -> column.cell().apply(item)).toList());
        }
        return rows;
    }

    static String known(double figure, DoubleFunction<String> text) {
        return Double.isNaN(figure) ? UNKNOWN : text.apply(figure);
    }

    static String rate(double perSecond) {
        return known(perSecond, rate -> NumberText.format("%,.1f", rate));
    }

    static String seconds(double seconds) {
        return known(seconds, known -> NumberText.format("%,.2f s", known));
    }
}

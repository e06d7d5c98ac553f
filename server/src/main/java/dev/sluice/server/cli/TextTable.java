package dev.sluice.server.cli;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;

/** Columns for people. */
final class TextTable {
    private final List<List<String>> rows = new ArrayList<>();

    private TextTable(List<String> heading) {
        rows.add(heading);
    }

    static TextTable of(String... heading) {
        return new TextTable(List.of(heading));
    }

    TextTable row(String... cells) {
        rows.add(List.of(cells));
        return this;
    }

    boolean isEmpty() {
        return rows.size() == 1;
    }

    @Override
    public String toString() {
        var columns = rows.getFirst().size();
        var widths = new int[columns];
        rows.forEach(row -> {
            for (var i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        });
        var text = new StringBuilder();
        for (var row : rows) {
            var line = new StringBuilder();
            for (var i = 0; i < columns; i++) {
                line.append(String.format("%-" + (widths[i] + 2) + "s", row.get(i)));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    /** What an answer says under this name; a dash where it says nothing. */
    static String value(BsonDocument in, String name) {
        return value(in, name, "");
    }

    static String value(BsonDocument in, String name, String unit) {
        var value = in.get(name);
        if (value == null || value.isNull()) {
            return "-";
        }
        return switch (value.getBsonType()) {
            case STRING ->
                value.asString().getValue().isEmpty() ? "-" : value.asString().getValue();
            case BOOLEAN -> value.asBoolean().getValue() ? "yes" : "no";
            case DOUBLE ->
                String.format(java.util.Locale.ROOT, "%.1f", value.asDouble().getValue()) + unit;
            case INT32, INT64 -> value.asNumber().longValue() + unit;
            default -> value.toString();
        };
    }

    static String cut(String text, int width) {
        return text.length() <= width ? text : text.substring(0, width - 1) + "…";
    }
}

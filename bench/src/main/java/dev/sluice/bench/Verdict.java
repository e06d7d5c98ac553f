package dev.sluice.bench;

import java.util.List;

/**
 * What came of a benchmark.
 *
 * @param table for people
 * @param json for machines; empty where there is none
 * @param failures what {@code --check} does not accept
 */
record Verdict(String table, String json, List<String> failures) {
    static Verdict of(String table, boolean passes) {
        return new Verdict(table, "", passes ? List.of() : List.of("see the table"));
    }
}

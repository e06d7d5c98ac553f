package dev.sluice.devmongo.update;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.query.Query;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** Which array elements {@code $[identifier]} means: one filter per identifier, all of them used. */
final class ArrayFilters {
    private final Map<String, Query> byIdentifier = new HashMap<>();
    private final Set<String> used = new HashSet<>();

    private ArrayFilters() {}

    static ArrayFilters compile(List<BsonDocument> filters) {
        ArrayFilters compiled = new ArrayFilters();
        for (BsonDocument filter : filters) {
            Set<String> identifiers = new TreeSet<>();
            collectIdentifiers(filter, identifiers);
            if (identifiers.size() != 1) {
                throw CommandException.failedToParse(
                        "Error parsing array filter :: caused by :: Expected a single top-level field name, found "
                                + identifiers);
            }
            String identifier = identifiers.iterator().next();
            if (compiled.byIdentifier.put(identifier, Query.compile(filter)) != null) {
                throw CommandException.failedToParse(
                        "Found multiple array filters with the same top-level field name " + identifier);
            }
        }
        return compiled;
    }

    private static void collectIdentifiers(BsonDocument filter, Set<String> into) {
        filter.forEach((name, value) -> {
            if (!name.startsWith("$")) {
                into.add(name.split("\\.", 2)[0]);
            } else if (value instanceof BsonArray branches) {
                branches.forEach(branch -> collectIdentifiers(branch.asDocument(), into));
            }
        });
    }

    /** Called for every component of every path; refuses an identifier that has no filter. */
    void use(String component, String path) {
        if (!component.startsWith("$[") || component.equals("$[]")) {
            return;
        }
        String identifier = identifier(component);
        if (!byIdentifier.containsKey(identifier)) {
            throw CommandException.badValue(
                    "No array filter found for identifier '" + identifier + "' in path '" + path + "'");
        }
        used.add(identifier);
    }

    void refuseUnused() {
        for (String identifier : byIdentifier.keySet()) {
            if (!used.contains(identifier)) {
                throw CommandException.failedToParse(
                        "The array filter for identifier '" + identifier + "' was not used in the update");
            }
        }
    }

    boolean accept(String component, BsonValue element) {
        if (component.equals("$[]")) {
            return true;
        }
        Query query = byIdentifier.get(identifier(component));
        return query != null && query.matches(new BsonDocument(identifier(component), element));
    }

    private static String identifier(String component) {
        return component.substring(2, component.length() - 1);
    }
}

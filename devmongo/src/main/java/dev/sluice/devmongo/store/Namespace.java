package dev.sluice.devmongo.store;

import dev.sluice.devmongo.CommandException;

/** A database and a collection in it, written {@code database.collection}. */
public record Namespace(String database, String collection) {
    public Namespace {
        if (database.isEmpty() || collection.isEmpty()) {
            throw new CommandException(
                    73, "InvalidNamespace", "Invalid namespace specified '" + database + "." + collection + "'");
        }
    }

    public static Namespace parse(String full) {
        int dot = full.indexOf('.');
        return dot < 0 ? new Namespace(full, "") : new Namespace(full.substring(0, dot), full.substring(dot + 1));
    }

    @Override
    public String toString() {
        return database + "." + collection;
    }
}

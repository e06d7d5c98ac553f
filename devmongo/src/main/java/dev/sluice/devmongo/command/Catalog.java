package dev.sluice.devmongo.command;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.store.Namespace;
import dev.sluice.devmongo.store.StoredCollection;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** Commands that make, move and remove collections. */
final class Catalog {
    private static final Set<String> GENERIC = Set.of(
            "lsid",
            "txnNumber",
            "autocommit",
            "startTransaction",
            "writeConcern",
            "readConcern",
            "comment",
            "maxTimeMS",
            "apiVersion",
            "apiStrict");

    private Catalog() {}

    static Outcome create(Invocation call) {
        call.store().create(call.namespace(), options(call));
        return Outcome.ok();
    }

    private static BsonDocument options(Invocation call) {
        BsonDocument options = new BsonDocument();
        call.command().forEach((name, value) -> {
            if (!name.equals(call.name()) && !name.startsWith("$") && !GENERIC.contains(name)) {
                options.append(name, value);
            }
        });
        return options;
    }

    static Outcome drop(Invocation call) {
        Namespace namespace = call.namespace();
        if (call.store().find(namespace) == null && call.node().version().atLeast(7, 0)) {
            return Outcome.ok();
        }
        StoredCollection dropped = call.store().drop(namespace);
        return Outcome.of(
                new BsonDocument("nIndexesWas", new BsonInt32(dropped.indexes().size()))
                        .append("ns", new BsonString(namespace.toString())));
    }

    static Outcome rename(Invocation call) {
        if (!call.database().equals("admin")) {
            throw new CommandException(
                    13, "Unauthorized", "renameCollection may only be run against the admin database.");
        }
        Namespace from = Namespace.parse(call.command().getString(call.name()).getValue());
        Namespace to = Namespace.parse(call.command().getString("to").getValue());
        if (!from.database().equals(to.database())) {
            throw new CommandException(
                    115, "CommandNotSupported", "devmongo renames within one database only: " + from + " to " + to);
        }
        call.store().rename(from, to, call.flag("dropTarget"));
        return Outcome.ok();
    }

    static Outcome dropDatabase(Invocation call) {
        boolean existed = call.store().dropDatabase(call.database());
        return existed ? Outcome.of(new BsonDocument("dropped", new BsonString(call.database()))) : Outcome.ok();
    }

    static Outcome collMod(Invocation call) {
        StoredCollection collection = call.store().find(call.namespace());
        if (collection == null) {
            throw new CommandException(26, "NamespaceNotFound", "ns does not exist");
        }
        collection.options().putAll(options(call));
        call.store().changed(collection);
        return Outcome.ok();
    }
}

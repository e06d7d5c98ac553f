package dev.sluice.devmongo.command;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.store.Namespace;
import dev.sluice.devmongo.store.Session;
import dev.sluice.devmongo.store.Store;
import dev.sluice.devmongo.store.Transaction;
import dev.sluice.devmongo.wire.Connection;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** One command being run: the request, and what of the server it may touch. */
record Invocation(Node node, BsonDocument command, Connection connection, Operation operation) {

    String name() {
        return command.getFirstKey();
    }

    String database() {
        return command.isString("$db") ? command.getString("$db").getValue() : "admin";
    }

    Store store() {
        return node.store();
    }

    /** The collection that the command's first field names. */
    Namespace namespace() {
        BsonValue collection = command.get(name());
        if (collection == null || !collection.isString()) {
            throw new CommandException(
                    73, "InvalidNamespace", "collection name has invalid type " + typeOf(collection));
        }
        return new Namespace(database(), collection.asString().getValue());
    }

    private static String typeOf(@Nullable BsonValue value) {
        return value == null ? "missing" : value.getBsonType().name().toLowerCase(java.util.Locale.ROOT);
    }

    @Nullable
    BsonBinary sessionId() {
        return sessionId(command);
    }

    static @Nullable BsonBinary sessionId(BsonDocument command) {
        return command.isDocument("lsid") && command.getDocument("lsid").isBinary("id")
                ? command.getDocument("lsid").getBinary("id")
                : null;
    }

    @Nullable
    Session session() {
        BsonBinary id = sessionId();
        return id == null ? null : store().sessions().get(id);
    }

    boolean flag(String name) {
        return flag(command, name, false);
    }

    static boolean flag(BsonDocument document, String name, boolean otherwise) {
        BsonValue value = document.get(name);
        if (value == null || value.isNull()) {
            return otherwise;
        }
        return value.isBoolean()
                ? value.equals(BsonBoolean.TRUE)
                : value.isNumber() && value.asNumber().intValue() != 0;
    }

    int number(String name, int otherwise) {
        return command.isNumber(name) ? command.getNumber(name).intValue() : otherwise;
    }

    BsonDocument document(String name) {
        return command.isDocument(name) ? command.getDocument(name) : new BsonDocument();
    }

    boolean inTransaction() {
        return command.containsKey("autocommit");
    }

    boolean endsTransaction() {
        return name().equals("commitTransaction") || name().equals("abortTransaction");
    }

    /** The active transaction this command belongs to, if it says so. */
    @Nullable
    Transaction transaction() {
        Session session = session();
        return inTransaction() && session != null ? session.transaction() : null;
    }

    /** Whether this asks for what the majority has. */
    boolean readsMajority() {
        BsonDocument concern = document("readConcern");
        return concern.isString("level")
                && concern.getString("level").getValue().equals("majority");
    }

    /** Whether this opens or reads a change stream. */
    boolean readsStream() {
        return name().equals("getMore") || name().equals("aggregate") && Aggregate.isStream(command);
    }
}

package dev.sluice.devmongo.store;

import dev.sluice.devmongo.query.BsonOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Keeps the values of some fields unique among documents. An array counts with each of its elements. */
final class UniqueIndex {
    private final String name;
    private final BsonDocument pattern;
    private final boolean sparse;
    private final TreeMap<BsonValue, BsonValue> idByKey;

    UniqueIndex(String name, BsonDocument pattern, boolean sparse) {
        this(name, pattern, sparse, new TreeMap<>(BsonOrder.INSTANCE));
    }

    private UniqueIndex(String name, BsonDocument pattern, boolean sparse, TreeMap<BsonValue, BsonValue> idByKey) {
        this.name = name;
        this.pattern = pattern;
        this.sparse = sparse;
        this.idByKey = idByKey;
    }

    UniqueIndex copy() {
        return new UniqueIndex(name, pattern, sparse, new TreeMap<>(idByKey));
    }

    String name() {
        return name;
    }

    /** Refuses the document if another one holds one of its keys. */
    void check(Namespace namespace, BsonDocument document) {
        BsonValue id = document.get("_id", BsonNull.VALUE);
        for (BsonArray key : keys(document)) {
            BsonValue holder = idByKey.get(key);
            if (holder != null && !BsonOrder.valuesEqual(holder, id)) {
                throw new DuplicateKey(namespace, name, pattern, keyValue(key));
            }
        }
    }

    void add(BsonDocument document) {
        keys(document).forEach(key -> idByKey.put(key, document.get("_id")));
    }

    void remove(BsonDocument document) {
        keys(document).forEach(idByKey::remove);
    }

    private BsonDocument keyValue(BsonArray key) {
        BsonDocument value = new BsonDocument();
        int at = 0;
        for (String field : pattern.keySet()) {
            value.append(field, key.get(at++));
        }
        return value;
    }

    private List<BsonArray> keys(BsonDocument document) {
        List<BsonArray> keys = List.of(new BsonArray());
        boolean present = false;
        for (String field : pattern.keySet()) {
            BsonValue value = at(document, field);
            present |= value != null;
            keys = extend(keys, value == null ? BsonNull.VALUE : value);
        }
        return sparse && !present ? List.of() : keys;
    }

    private static List<BsonArray> extend(List<BsonArray> keys, BsonValue value) {
        List<BsonValue> alternatives =
                value.isArray() && !value.asArray().isEmpty() ? value.asArray().getValues() : List.of(value);
        List<BsonArray> extended = new ArrayList<>();
        for (BsonArray key : keys) {
            for (BsonValue alternative : alternatives) {
                BsonArray longer = key.clone();
                longer.add(alternative);
                extended.add(longer);
            }
        }
        return extended;
    }

    private static @Nullable BsonValue at(BsonDocument document, String path) {
        BsonValue value = document;
        for (String name : path.split("\\.", -1)) {
            value = value != null && value.isDocument() ? value.asDocument().get(name) : null;
        }
        return value;
    }
}

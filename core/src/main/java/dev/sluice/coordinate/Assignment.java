package dev.sluice.coordinate;

import dev.sluice.model.InvalidInputException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * Who shall own what: the leader's decision, one value for the whole group. It proves nothing; claims do.
 *
 * @param epoch of the leader that wrote it
 * @param generation of the layout it is for
 * @param owners member id by partition; a partition that nobody shall own is left out
 */
record Assignment(long epoch, long generation, Map<Integer, String> owners) {
    static final Assignment NONE = new Assignment(0, 0, Map.of());

    Assignment {
        owners = new TreeMap<>(owners);
    }

    Assignment underEpoch(long newEpoch) {
        return new Assignment(newEpoch, generation, owners);
    }

    SortedSet<Integer> of(String member) {
        SortedSet<Integer> partitions = new TreeSet<>();
        owners.forEach((partition, owner) -> {
            if (owner.equals(member)) {
                partitions.add(partition);
            }
        });
        return partitions;
    }

    /** Every id once, then one small number per partition: 2,000 partitions are some 8 KB. */
    byte[] toBytes() {
        return toBytes("");
    }

    /** @param signature over {@link #toBytes()}, by the group's secret; empty without one */
    byte[] toBytes(String signature) {
        Map<String, Integer> places = new LinkedHashMap<>();
        StringBuilder owned = new StringBuilder();
        int last = owners.isEmpty() ? -1 : ((TreeMap<Integer, String>) owners).lastKey();
        for (int partition = 0; partition <= last; partition++) {
            String owner = owners.get(partition);
            owned.append(partition == 0 ? "" : " ");
            owned.append(owner == null ? "-" : places.computeIfAbsent(owner, id -> places.size()));
        }
        BsonArray members = new BsonArray();
        places.keySet().forEach(id -> members.add(new BsonString(id)));
        BsonDocument document = new BsonDocument("epoch", new BsonInt64(epoch))
                .append("generation", new BsonInt64(generation))
                .append("members", members)
                .append("owners", new BsonString(owned.toString()));
        return StoredJson.bytes(
                signature.isEmpty() ? document : document.append("signature", new BsonString(signature)));
    }

    /** The signature beside it; empty when there is none. */
    static String signature(Entry entry) {
        return StoredJson.read(
                entry,
                document -> document.getString("signature", new BsonString("")).getValue());
    }

    static Assignment of(Entry entry) {
        return StoredJson.read(
                entry,
                document -> new Assignment(
                        document.getNumber("epoch").longValue(),
                        document.getNumber("generation").longValue(),
                        owners(document)));
    }

    private static Map<Integer, String> owners(BsonDocument document) {
        List<String> members = new ArrayList<>();
        for (BsonValue id : document.getArray("members")) {
            members.add(id.asString().getValue());
        }
        Map<Integer, String> owners = new TreeMap<>();
        String owned = document.getString("owners").getValue();
        String[] places = owned.isEmpty() ? new String[0] : owned.split(" ", -1);
        try {
            for (int partition = 0; partition < places.length; partition++) {
                if (!places[partition].equals("-")) {
                    owners.put(partition, members.get(Integer.parseInt(places[partition])));
                }
            }
        } catch (NumberFormatException | IndexOutOfBoundsException e) {
            throw new InvalidInputException("the owners are not numbers of members");
        }
        return owners;
    }
}

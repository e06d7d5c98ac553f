package dev.sluice.mongodb;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.RawBson;
import org.bson.BsonValue;

/**
 * Where a token stands among those of all streams of one deployment. Tokens are opaque but for this: since MongoDB 4.0
 * their text is a key that sorts as the positions do, within a transaction too, and routers merge their shards by it. It
 * is used to order events of streams that run beside each other; nothing is ever left out because of it.
 */
record Place(String order, Checkpoint checkpoint) implements Comparable<Place> {
    static Place of(RawBson token, ClusterTime time) {
        return of(new Checkpoint(token, time));
    }

    static Place of(Checkpoint checkpoint) {
        BsonValue data = checkpoint.token().view().get("_data");
        if (data == null || !data.isString()) {
            throw new InvalidInputException(
                    "this server's resume tokens cannot be put in order: set streams to 1 for this backend");
        }
        return new Place(data.asString().getValue(), checkpoint);
    }

    ClusterTime time() {
        return checkpoint.time();
    }

    static Place later(Place a, Place b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    @Override
    public int compareTo(Place other) {
        return order.compareTo(other.order);
    }
}

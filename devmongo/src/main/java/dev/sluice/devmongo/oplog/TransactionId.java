package dev.sluice.devmongo.oplog;

import java.util.Base64;
import org.bson.BsonBinary;
import org.bson.BsonDocument;

/** Whose transaction it was: what each of its events carries. */
public record TransactionId(BsonBinary session, long number) {
    /** The digest of the empty user name: nobody authenticates here. */
    public static final String NOBODY = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";

    BsonDocument lsid() {
        return new BsonDocument("id", session)
                .append("uid", new BsonBinary(Base64.getDecoder().decode(NOBODY)));
    }
}

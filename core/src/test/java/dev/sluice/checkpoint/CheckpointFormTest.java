package dev.sluice.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.ClusterTime;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.RawBson;
import java.util.Arrays;
import java.util.HexFormat;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;

/** The bytes that stores keep. */
class CheckpointFormTest {
    private static final Checkpoint CHECKPOINT =
            new Checkpoint(RawBson.of(new BsonDocument("_data", new BsonString("82"))), ClusterTime.of(7, 1));

    /** As 0.1 wrote them: a time and a token. */
    private static final String WITHOUT_FILTER =
            "0000000700000001" + "13000000" + "02" + "5f6461746100" + "03000000" + "383200" + "00";

    @Test
    void aCheckpointOfAReleaseWithoutFiltersIsRead() {
        Checkpoint read = Checkpoint.decode(HexFormat.of().parseHex(WITHOUT_FILTER));
        assertThat(read).isEqualTo(CHECKPOINT);
        assertThat(read.filter()).isEqualTo(Checkpoint.UNKNOWN_FILTER);
    }

    @Test
    void withoutAFilterTheFormIsTheOldOne() {
        assertThat(HexFormat.of().formatHex(CHECKPOINT.encode())).isEqualTo(WITHOUT_FILTER);
    }

    @Test
    void theFiltersFingerprintIsKept() {
        Checkpoint checkpoint = CHECKPOINT.withFilter(-3);
        assertThat(Checkpoint.decode(checkpoint.encode())).isEqualTo(checkpoint);
    }

    @Test
    void otherLengthsAreRefused() {
        byte[] whole = CHECKPOINT.withFilter(5).encode();
        for (int length : new int[] {0, 8, 12, 26, 28, 34, 36}) {
            assertThatThrownBy(() -> Checkpoint.decode(Arrays.copyOf(whole, length)))
                    .as(length + " bytes")
                    .isInstanceOf(InvalidInputException.class);
        }
    }
}

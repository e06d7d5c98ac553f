package dev.sluice.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartitionerTest {
    /** Computed independently, with arbitrary precision, from FNV's definition. */
    private static int reference(String text, int partitions) {
        BigInteger hash = new BigInteger("14695981039346656037");
        for (byte octet : text.getBytes(java.nio.charset.StandardCharsets.UTF_8)) {
            hash = hash.xor(BigInteger.valueOf(octet & 0xFF)).multiply(BigInteger.valueOf(1099511628211L));
            hash = hash.mod(BigInteger.ONE.shiftLeft(64));
        }
        return hash.mod(BigInteger.valueOf(partitions)).intValueExact();
    }

    @ParameterizedTest
    @CsvSource({"orders, 1, 8", "orders, 2, 8", "users, größe, 7", "a, '{\"$numberInt\":\"1\"}', 256"})
    void takesTheHashOfCollectionSlashIdUnsignedModuloTheCount(String collection, String id, int partitions) {
        assertThat(new Partitioner(partitions).partitionOf(collection, id))
                .isEqualTo(reference(collection + "/" + id, partitions));
    }

    /** A signed modulo would give a negative partition for half of all documents. */
    @Test
    void neverGoesNegativeWhenTheHashHasItsHighestBitSet() {
        Partitioner partitioner = new Partitioner(1000);
        for (int id = 0; id < 10_000; id++) {
            assertThat(partitioner.partitionOf("c", Integer.toString(id)))
                    .isEqualTo(reference("c/" + id, 1000))
                    .isBetween(0, 999);
        }
    }

    @Test
    void putsEverythingIntoOnePartitionByDefault() {
        assertThat(new Partitioner(1).partitionOf("orders", "42")).isZero();
    }

    @Test
    void refusesZeroPartitions() {
        assertThatThrownBy(() -> new Partitioner(0))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("at least 1");
    }
}

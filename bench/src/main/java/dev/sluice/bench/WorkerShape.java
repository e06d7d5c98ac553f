package dev.sluice.bench;

import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.SubjectTransform;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A stream and its partitions.
 *
 * @param partitions how many
 * @param keys which the server hashes into partitions; 0: each partition is one literal subject
 */
record WorkerShape(int partitions, int keys) {
    static final String STREAM = "BENCH";
    static final String PREFIX = "bench";

    private static final int SCRAMBLE_SHIFT = 33;
    private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

    static WorkerShape hashed(int partitions, int keys) {
        return new WorkerShape(partitions, keys);
    }

    static WorkerShape literal(int partitions) {
        return new WorkerShape(partitions, 0);
    }

    static WorkerShape parse(String text) {
        String[] words = text.split("-");
        return new WorkerShape(Integer.parseInt(words[1]), words.length > 2 ? Integer.parseInt(words[2]) : 0);
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return hashed() ? "hashed-" + partitions + "-" + keys : "literal-" + partitions;
    }

    boolean hashed() {
        return keys > 0;
    }

    StreamConfiguration stream() {
        StreamConfiguration.Builder stream = StreamConfiguration.builder()
                .name(STREAM)
                .storageType(StorageType.File)
                .maxConsumers(10_000);
        if (!hashed()) {
            return stream.subjects(PREFIX + ".*.*.completion").build();
        }
        return stream.subjects(PREFIX + ".*")
                .subjectTransform(new SubjectTransform(
                        PREFIX + ".*",
                        PREFIX + "." + partitions + ".{{partition(" + partitions + ",1)}}.{{wildcard(1)}}"))
                .build();
    }

    /** The filter of a consumer that reads this partition alone. */
    String filter(int partition) {
        return hashed() ? PREFIX + "." + partitions + "." + partition + ".>" : literalSubject(partition);
    }

    List<String> filters() {
        return IntStream.range(0, partitions).mapToObj(this::filter).toList();
    }

    /** The filters of one of several bare consumers that share the partitions evenly. */
    List<String> filtersOf(int consumer, int consumers) {
        return IntStream.range(0, partitions)
                .filter(partition -> partition % consumers == consumer)
                .mapToObj(this::filter)
                .toList();
    }

    /** Subjects to publish to. */
    String[] subjects() {
        return IntStream.range(0, hashed() ? keys : partitions)
                .mapToObj(n -> hashed() ? PREFIX + ".key" + n : literalSubject(n))
                .toArray(String[]::new);
    }

    /** Which of so many subjects message n goes to: even, in no order. */
    static int subjectOf(int n, int subjects) {
        return (int) (((n * GOLDEN_RATIO) >>> SCRAMBLE_SHIFT) % subjects);
    }

    private static String literalSubject(int partition) {
        return PREFIX + ".tool" + partition / 4 + ".chamber" + partition % 4 + ".completion";
    }
}

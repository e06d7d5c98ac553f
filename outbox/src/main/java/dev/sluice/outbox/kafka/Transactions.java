package dev.sluice.outbox.kafka;

import dev.sluice.outbox.relay.Sink;
import dev.sluice.outbox.relay.SinkUnavailableException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.FenceProducersOptions;
import org.apache.kafka.clients.admin.FinalizedVersionRange;
import org.apache.kafka.clients.admin.TransactionListing;

/** What the brokers know of an outbox's senders, each by its transactional id: outbox, its identity, generation and partition. */
final class Transactions {
    private static final String FEATURE = "transaction.version";
    private static final int LOWEST_VERSION = 2;
    /** Senders that were under way are waited for. */
    private static final int PATIENCE_MS = 30_000;

    private final Admin admin;
    private final Sink.Opening opening;

    Transactions(Admin admin, Sink.Opening opening) {
        this.admin = admin;
        this.opening = opening;
    }

    static String id(Sink.Opening opening) {
        return prefix(opening) + opening.token().generation() + '-' + opening.partition();
    }

    /** Not the name alone: an outbox of another database under the same name must not be shut out. */
    private static String prefix(Sink.Opening opening) {
        return opening.outbox() + "-outbox-" + opening.identity() + '-';
    }

    /** Below version 2 a transaction that timed out may end up in the next one of its sender. */
    void requireVersion() throws SinkUnavailableException, InterruptedException {
        try {
            FinalizedVersionRange range = admin.describeFeatures()
                    .featureMetadata()
                    .get()
                    .finalizedFeatures()
                    .get(FEATURE);
            if (range == null || range.maxVersionLevel() < LOWEST_VERSION) {
                throw new SinkUnavailableException(
                        "Exactly-once needs brokers with " + FEATURE + " " + LOWEST_VERSION + " or newer, these have "
                                + (range == null ? "none" : range.maxVersionLevel())
                                + ": upgrade them (kafka-features.sh upgrade), or deliver at least once.",
                        false,
                        null);
            }
        } catch (ExecutionException failed) {
            throw unavailable(KafkaFailure.cause(failed));
        }
    }

    /** Whoever sent under an older number of partitions sends nothing more: what it had begun is undone. */
    void fenceOlder() throws SinkUnavailableException, InterruptedException {
        Pattern ours = Pattern.compile(Pattern.quote(prefix(opening)) + "(\\d+)-\\d+");
        try {
            List<String> older = admin.listTransactions().all().get().stream()
                    .map(TransactionListing::transactionalId)
                    .filter(id -> {
                        Matcher found = ours.matcher(id);
                        return found.matches()
                                && Long.parseLong(found.group(1))
                                        < opening.token().generation();
                    })
                    .toList();
            // One by one: together they take seconds, each waiting for the others' second look-up.
            for (String id : older) {
                admin.fenceProducers(List.of(id), new FenceProducersOptions().timeoutMs(PATIENCE_MS))
                        .all()
                        .get();
            }
        } catch (ExecutionException failed) {
            throw unavailable(KafkaFailure.cause(failed));
        }
    }

    private static SinkUnavailableException unavailable(Exception failed) {
        return new SinkUnavailableException(
                "Kafka does not say what transactions there are: " + KafkaFailure.reason(failed), false, failed);
    }
}

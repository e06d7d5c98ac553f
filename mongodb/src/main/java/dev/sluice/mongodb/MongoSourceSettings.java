package dev.sluice.mongodb;

import dev.sluice.capture.TenantRule;
import java.time.Duration;

/**
 * One MongoDB backend.
 *
 * @param connection {@code mongodb://} or {@code mongodb+srv://}; it carries the credential and TLS too
 * @param images whether documents are looked up when their update is read, or taken from what the server kept of them
 * @param streams change streams that share the included collections between them; more than one needs that many
 * @param batchSize events per reply at most
 * @param batchInterval the least time between the beginnings of two reads while the source has no backlog, so that a batch
 *     grows; the first event after a pause is read at once
 * @param maxAwait how long the server waits for a change before it answers with none; bounds shutdown as well
 * @param timeout how long a server may be out of reach until a call gives up: connecting, selecting a primary, and a reply
 *     of a server that the driver's monitor does not reach either
 * @param replyLimit how long a server that is alive may work on one reply at first; after a reply that took longer the next
 *     may take twice as long, and is asked for fewer events
 */
public record MongoSourceSettings(
        String connection,
        String database,
        CollectionFilter filter,
        Images images,
        TenantRule tenant,
        int streams,
        int batchSize,
        Duration batchInterval,
        Duration maxAwait,
        Duration timeout,
        Duration replyLimit) {

    public static final int DEFAULT_BATCH_SIZE = 1000;
    public static final Duration DEFAULT_BATCH_INTERVAL = Duration.ofMillis(5);
    public static final Duration DEFAULT_MAX_AWAIT = Duration.ofMillis(500);
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);
    public static final Duration DEFAULT_REPLY_LIMIT = Duration.ofMinutes(10);

    public MongoSourceSettings {
        if (database.isEmpty()) {
            throw new IllegalArgumentException("a MongoDB backend needs the name of the database to watch");
        }
        if (streams < 1 || (streams > 1 && filter.include().size() < streams)) {
            throw new IllegalArgumentException(
                    "several streams share the included collections: include at least as many as there are streams");
        }
        if (batchInterval.isNegative()) {
            throw new IllegalArgumentException("the batch interval of a MongoDB backend is not negative");
        }
        if (batchSize < 1 || maxAwait.toMillis() < 1 || timeout.toMillis() < 1 || replyLimit.toMillis() < 1) {
            throw new IllegalArgumentException(
                    "batch size, waiting time, timeout and reply limit of a MongoDB backend are positive");
        }
    }

    public static MongoSourceSettings of(String connection, String database) {
        return new MongoSourceSettings(
                connection,
                database,
                CollectionFilter.ALL,
                Images.NONE,
                new TenantRule.None(),
                1,
                DEFAULT_BATCH_SIZE,
                DEFAULT_BATCH_INTERVAL,
                DEFAULT_MAX_AWAIT,
                DEFAULT_TIMEOUT,
                DEFAULT_REPLY_LIMIT);
    }

    public MongoSourceSettings withFilter(CollectionFilter filter) {
        return new MongoSourceSettings(
                connection,
                database,
                filter,
                images,
                tenant,
                streams,
                batchSize,
                batchInterval,
                maxAwait,
                timeout,
                replyLimit);
    }

    public MongoSourceSettings withImages(Images images) {
        return new MongoSourceSettings(
                connection,
                database,
                filter,
                images,
                tenant,
                streams,
                batchSize,
                batchInterval,
                maxAwait,
                timeout,
                replyLimit);
    }

    public MongoSourceSettings withTenant(TenantRule tenant) {
        return new MongoSourceSettings(
                connection,
                database,
                filter,
                images,
                tenant,
                streams,
                batchSize,
                batchInterval,
                maxAwait,
                timeout,
                replyLimit);
    }

    public MongoSourceSettings withStreams(int streams) {
        return new MongoSourceSettings(
                connection,
                database,
                filter,
                images,
                tenant,
                streams,
                batchSize,
                batchInterval,
                maxAwait,
                timeout,
                replyLimit);
    }

    public MongoSourceSettings withBatchSize(int batchSize) {
        return new MongoSourceSettings(
                connection,
                database,
                filter,
                images,
                tenant,
                streams,
                batchSize,
                batchInterval,
                maxAwait,
                timeout,
                replyLimit);
    }

    public MongoSourceSettings withBatchInterval(Duration batchInterval) {
        return new MongoSourceSettings(
                connection,
                database,
                filter,
                images,
                tenant,
                streams,
                batchSize,
                batchInterval,
                maxAwait,
                timeout,
                replyLimit);
    }

    public MongoSourceSettings withTimes(Duration maxAwait, Duration timeout) {
        return new MongoSourceSettings(
                connection,
                database,
                filter,
                images,
                tenant,
                streams,
                batchSize,
                batchInterval,
                maxAwait,
                timeout,
                replyLimit);
    }

    public MongoSourceSettings withReplyLimit(Duration replyLimit) {
        return new MongoSourceSettings(
                connection,
                database,
                filter,
                images,
                tenant,
                streams,
                batchSize,
                batchInterval,
                maxAwait,
                timeout,
                replyLimit);
    }
}

package dev.sluice.nats;

import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.api.DiscardPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The stream behind a bucket, as {@code nats kv add} makes it but for one thing: direct reads are off, also where somebody has
 * turned them on. A replica that lags answers those, and a value just written would seem unwritten.
 *
 * @param maxAge after which an entry ends, or zero for never
 */
record BucketStream(String bucket, Duration maxAge, int replicas) {
    private static final String PREFIX = "KV_";
    private static final int NO_STREAM = 10059;
    private static final int STREAM_EXISTS = 10058;

    static String nameOf(String bucket) {
        return PREFIX + bucket;
    }

    /** The bucket behind that name of a stream. */
    static String bucketOf(String stream) {
        return stream.substring(PREFIX.length());
    }

    /** Makes it if it is not there, and corrects it if it is; the number of replicas is left to whoever made it. */
    void make(JetStreamManagement management) throws IOException, JetStreamApiException {
        StreamConfiguration found = existing(management);
        if (found == null) {
            found = added(management);
        }
        if (found.getAllowDirect() || !found.getMaxAge().equals(maxAge)) {
            management.updateStream(StreamConfiguration.builder(found)
                    .allowDirect(false)
                    .maxAge(maxAge)
                    .build());
        }
    }

    private @Nullable StreamConfiguration existing(JetStreamManagement management)
            throws IOException, JetStreamApiException {
        try {
            return management.getStreamInfo(nameOf(bucket)).getConfiguration();
        } catch (JetStreamApiException e) {
            if (e.getApiErrorCode() == NO_STREAM) {
                return null;
            }
            throw e;
        }
    }

    /** Another client may be faster, with another number of replicas. */
    private StreamConfiguration added(JetStreamManagement management) throws IOException, JetStreamApiException {
        StreamConfiguration wanted = StreamConfiguration.builder()
                .name(nameOf(bucket))
                .subjects(new Subjects(bucket).all())
                .maxMessagesPerSubject(1)
                .maxAge(maxAge)
                .storageType(StorageType.File)
                .discardPolicy(DiscardPolicy.New)
                .replicas(replicas)
                .allowRollup(true)
                .denyDelete(true)
                .allowDirect(false)
                .build();
        try {
            return management.addStream(wanted).getConfiguration();
        } catch (JetStreamApiException e) {
            if (e.getApiErrorCode() == STREAM_EXISTS) {
                return management.getStreamInfo(nameOf(bucket)).getConfiguration();
            }
            throw e;
        }
    }
}

package dev.sluice.nats;

import static dev.sluice.coordinate.CoordinationStore.ABSENT;

import dev.sluice.coordinate.Entry;
import io.nats.client.Dispatcher;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamSubscription;
import io.nats.client.Message;
import io.nats.client.PushSubscribeOptions;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.DeliverPolicy;
import io.nats.client.api.MessageInfo;
import io.nats.client.api.StreamInfoOptions;
import io.nats.client.impl.Headers;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A key-value bucket as NATS defines it: a stream that keeps the last message of each subject, whose sequence is the revision.
 * Deleting writes a marker, so that revisions grow on. Reads are as fresh as the stream's leader.
 */
final class NatsBucket {
    private static final String OPERATION = "KV-Operation";
    private static final String EXPECTED = "Nats-Expected-Last-Subject-Sequence";
    private static final int NO_MESSAGE = 10037;
    private static final Duration CONSUMER_FORGOTTEN_AFTER = Duration.ofSeconds(2);
    private static final Duration LOOK_AGAIN_AFTER = Duration.ofMillis(250);

    private final NatsLink nats;
    private final String stream;
    private final Subjects subjects;

    NatsBucket(NatsLink nats, String bucket) {
        this.nats = nats;
        this.stream = BucketStream.nameOf(bucket);
        this.subjects = new Subjects(bucket);
    }

    String stream() {
        return stream;
    }

    Optional<Entry> get(String key) {
        return last(subjects.of(key))
                .filter(last -> !isMarker(last.getHeaders()))
                .map(last -> new Entry(key, bytes(last.getData()), last.getSeq()));
    }

    private Optional<MessageInfo> last(String subject) {
        return nats.call("read " + subject, () -> {
            try {
                return Optional.of(nats.management().getLastMessage(stream, subject));
            } catch (JetStreamApiException e) {
                if (e.getApiErrorCode() == NO_MESSAGE) {
                    return Optional.empty();
                }
                throw e;
            }
        });
    }

    /** Absent is also what has a marker: then it is the marker that must still be the last. */
    OptionalLong put(String key, byte[] value, long expected) {
        OptionalLong written = publish(key, new Headers(), value, expected);
        if (written.isPresent() || expected != ABSENT) {
            return written;
        }
        Optional<MessageInfo> marker = last(subjects.of(key)).filter(last -> isMarker(last.getHeaders()));
        return marker.isPresent()
                ? publish(key, new Headers(), value, marker.get().getSeq())
                : OptionalLong.empty();
    }

    boolean delete(String key, long expected) {
        Headers marker = new Headers().put(OPERATION, "DEL");
        return expected != ABSENT && publish(key, marker, new byte[0], expected).isPresent();
    }

    private OptionalLong publish(String key, Headers headers, byte[] value, long expected) {
        if (expected < ABSENT) {
            return OptionalLong.empty();
        }
        try {
            headers.put(EXPECTED, Long.toString(expected));
            return OptionalLong.of(nats.call(
                    "write " + key,
                    () -> nats.publish(subjects.of(key), headers, value).getSeqno()));
        } catch (RefusedException another) {
            return OptionalLong.empty();
        }
    }

    /** Everything written before this was called: the leader says how far to read, whichever replica is read from. */
    Collection<Entry> list(String prefix) {
        return last(subjects.below(prefix))
                .map(last -> listOfReplica(prefix, last.getSeq()).values())
                .orElse(List.of());
    }

    /** The same where entries end: the leader alone decides which have, and each replica ends them by its own clock. */
    Collection<Entry> listLive(String prefix) {
        Map<String, Entry> entries = listOfReplica(prefix, ABSENT);
        Set<String> keys = keysOfLeader(prefix);
        entries.keySet().retainAll(keys);
        keys.removeAll(entries.keySet());
        for (String key : keys) {
            get(key).ifPresent(entry -> entries.put(key, entry));
        }
        return entries.values();
    }

    /** Also those with markers. */
    private Set<String> keysOfLeader(String prefix) {
        StreamInfoOptions below = StreamInfoOptions.filterSubjects(subjects.below(prefix));
        return nats
                .call("list " + prefix, () -> nats.management().getStreamInfo(stream, below))
                .getStreamState()
                .getSubjectMap()
                .keySet()
                .stream()
                .map(subjects::keyOf)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** By a consumer that lives for this list only, on whichever replica NATS puts it; waits until it is there as well. */
    private Map<String, Entry> listOfReplica(String prefix, long upTo) {
        ConsumerConfiguration lastOfEach = consumer(DeliverPolicy.LastPerSubject)
                .inactiveThreshold(CONSUMER_FORGOTTEN_AFTER)
                .build();
        PushSubscribeOptions options = PushSubscribeOptions.builder().stream(stream)
                .configuration(lastOfEach)
                .build();
        return nats.call("list " + prefix, () -> {
            JetStreamSubscription found = nats.jetStream().subscribe(subjects.below(prefix), options);
            try {
                return readAll(found, upTo);
            } finally {
                found.unsubscribe();
            }
        });
    }

    private Map<String, Entry> readAll(JetStreamSubscription found, long upTo)
            throws IOException, JetStreamApiException, InterruptedException {
        Map<String, Entry> entries = new TreeMap<>();
        long deadline = System.nanoTime() + nats.timeout().toNanos();
        long reached = ABSENT;
        boolean more = found.getConsumerInfo().getCalculatedPending() > 0;
        while (more || reached < upTo) {
            Message next = found.nextMessage(LOOK_AGAIN_AFTER);
            if (next != null) {
                note(next, entries);
                reached = next.metaData().streamSequence();
                more = next.metaData().pendingCount() > 0;
            } else if (System.nanoTime() < deadline) {
                // What was to come last may have expired meanwhile.
                more = found.getConsumerInfo().getNumPending() > 0;
            } else {
                throw nats.unavailable("list " + stream, new TimeoutException("a replica lags too far behind"));
            }
        }
        return entries;
    }

    private void note(Message message, Map<String, Entry> entries) {
        String key = subjects.keyOf(message.getSubject());
        if (isMarker(message.getHeaders())) {
            entries.remove(key);
        } else {
            entries.put(
                    key,
                    new Entry(key, bytes(message.getData()), message.metaData().streamSequence()));
        }
    }

    /** Calls from when this returns, until that dispatcher is closed. */
    void follow(String prefix, Dispatcher dispatcher, Consumer<String> changed) {
        PushSubscribeOptions options = PushSubscribeOptions.builder().stream(stream)
                .ordered(true)
                .configuration(consumer(DeliverPolicy.New).headersOnly(true).build())
                .build();
        nats.call(
                "watch " + prefix,
                () -> nats.jetStream()
                        .subscribe(
                                subjects.below(prefix),
                                dispatcher,
                                message -> changed.accept(subjects.keyOf(message.getSubject())),
                                false,
                                options));
    }

    private static ConsumerConfiguration.Builder consumer(DeliverPolicy from) {
        return ConsumerConfiguration.builder()
                .deliverPolicy(from)
                .ackPolicy(AckPolicy.None)
                .memStorage(true)
                .numReplicas(1);
    }

    private static boolean isMarker(@Nullable Headers headers) {
        return headers != null && headers.containsKey(OPERATION);
    }

    private static byte[] bytes(byte @Nullable [] data) {
        return data == null ? new byte[0] : data;
    }
}

package dev.sluice.worker;

import dev.sluice.coordinate.Clockwork;
import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.VirtualThreads;
import dev.sluice.coordinate.assign.Assigner;
import dev.sluice.coordinate.assign.StickyAssigner;
import dev.sluice.coordinate.identity.MemberSecret;
import dev.sluice.model.InvalidInputException;
import dev.sluice.nats.NatsCoordinationStore;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.WorkerSettings.Start;
import dev.sluice.worker.deadletter.DeadLetter;
import dev.sluice.worker.deadletter.DeadLetterStream;
import dev.sluice.worker.deadletter.DeadLetters;
import dev.sluice.worker.deadletter.JetStreamDeadLetters;
import dev.sluice.worker.deadletter.LetterId;
import dev.sluice.worker.deadletter.PutOutcome;
import dev.sluice.worker.lane.DeadLetterSink;
import dev.sluice.worker.partition.Partitions;
import dev.sluice.worker.partition.StreamFit;
import dev.sluice.worker.stream.MessageStream;
import dev.sluice.worker.stream.NatsMessageStream;
import dev.sluice.worker.stream.StreamMessage;
import dev.sluice.worker.stream.StreamState;
import dev.sluice.worker.stream.StreamState.Retention;
import io.nats.client.Connection;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Collects the parts of a worker and starts it. Stream, prefix, partitions and handler are needed; everything else has a default. */
public final class WorkerBuilder {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerBuilder.class);

    /** The key-value bucket in which groups of workers coordinate. */
    public static final String DEFAULT_BUCKET = "sluice-workers";

    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

    private final @Nullable Connection connection;
    private String stream = "";
    private String prefix = "";
    private String bucket = DEFAULT_BUCKET;
    private int replicas = 1;
    private Duration timeout = DEFAULT_TIMEOUT;
    private @Nullable Partitions partitions;
    private @Nullable MessageHandler handler;
    private WorkerSettings settings = WorkerSettings.DEFAULT;
    private WorkerListener listener = WorkerListener.NONE;
    private Assigner assigner = new StickyAssigner();
    private List<MemberSecret> secrets = List.of();
    private @Nullable DeadLetters deadLetters;
    private @Nullable CoordinationStore store;
    private @Nullable MessageStream messageStream;
    private @Nullable CoordinationStore ownStore;
    private @Nullable MessageStream ownStream;
    private Clockwork clockwork = new VirtualThreads();
    private InstantSource wallClock = InstantSource.system();
    private Supplier<String> incarnations = () -> UUID.randomUUID().toString();

    WorkerBuilder(@Nullable Connection connection) {
        this.connection = connection;
    }

    /** The stream whose messages are handled; it must exist. */
    public WorkerBuilder stream(String name) {
        stream = name;
        return this;
    }

    /** The name of the group, with which the names of its consumers begin: 1 to 64 letters, digits, _ or -. */
    public WorkerBuilder prefix(String consumerPrefix) {
        prefix = consumerPrefix;
        return this;
    }

    public WorkerBuilder partitions(Partitions divided) {
        partitions = divided;
        return this;
    }

    public WorkerBuilder handler(MessageHandler messageHandler) {
        handler = messageHandler;
        return this;
    }

    public WorkerBuilder settings(WorkerSettings workerSettings) {
        settings = workerSettings;
        return this;
    }

    public WorkerBuilder listener(WorkerListener workerListener) {
        listener = workerListener;
        return this;
    }

    /** How partitions are spread over the workers; the same for all of them. Default: sticky. */
    public WorkerBuilder strategy(Assigner strategy) {
        assigner = strategy;
        return this;
    }

    /** Sign the records of members: the first signs, any is accepted; workers without one of them get no partitions. */
    public WorkerBuilder secrets(List<MemberSecret> memberSecrets) {
        secrets = List.copyOf(memberSecrets);
        return this;
    }

    /** Keeps dead letters here instead of in the stream that the settings name. */
    public WorkerBuilder deadLetters(DeadLetters letters) {
        deadLetters = letters;
        return this;
    }

    /** The key-value bucket of the group, and its replicas when it is made: 3 where NATS has three servers. */
    public WorkerBuilder bucket(String name, int bucketReplicas) {
        bucket = name;
        replicas = bucketReplicas;
        return this;
    }

    /** After which a request to NATS counts as unanswered. */
    public WorkerBuilder timeout(Duration requestTimeout) {
        timeout = requestTimeout;
        return this;
    }

    /** Coordinates through this store, which stays open when the worker is closed. */
    public WorkerBuilder store(CoordinationStore coordination) {
        store = coordination;
        return this;
    }

    /** Reads from this stream, which stays open when the worker is closed. */
    public WorkerBuilder messageStream(MessageStream messages) {
        messageStream = messages;
        return this;
    }

    public WorkerBuilder clockwork(Clockwork threads) {
        clockwork = threads;
        return this;
    }

    public WorkerBuilder wallClock(InstantSource clock) {
        wallClock = clock;
        return this;
    }

    /** Names for the lives of this worker, each never used before. */
    public WorkerBuilder incarnations(Supplier<String> names) {
        incarnations = names;
        return this;
    }

    /**
     * Joins the group. Returns when the worker has begun; its partitions come a moment later.
     *
     * @throws InvalidInputException when the configuration does not fit the stream or the group, with the way out
     */
    public Worker start() {
        need(!prefix.isEmpty(), "a worker needs a consumer prefix: prefix(\"orders\")");
        need(
                ConsumerPrefix.isValid(prefix),
                "the consumer prefix " + InvalidInputException.quote(prefix) + " " + ConsumerPrefix.RULE);
        need(partitions != null, "a worker needs partitions: partitions(Partitions.hashed(\"orders\", 64))");
        need(handler != null, "a worker needs a handler: handler((context, message) -> …)");
        need(messageStream != null || !stream.isEmpty(), "a worker needs a stream: stream(\"ORDERS\")");
        try {
            return new Worker(this);
        } catch (RuntimeException | Error failed) {
            close();
            throw failed;
        }
    }

    private static void need(boolean given, String problem) {
        if (!given) {
            throw new InvalidInputException(problem);
        }
    }

    private Connection connection() {
        if (connection == null) {
            throw new InvalidInputException("a worker without a connection needs store(…) and messageStream(…)");
        }
        return connection;
    }

    CoordinationStore openStore() {
        if (store != null) {
            return store;
        }
        ownStore = NatsCoordinationStore.over(connection(), bucket, replicas, timeout);
        return ownStore;
    }

    MessageStream openStream() {
        if (messageStream != null) {
            return messageStream;
        }
        ownStream = new NatsMessageStream(connection(), stream, timeout);
        return ownStream;
    }

    /** Closes what {@link #openStore} and {@link #openStream} have opened. */
    void close() {
        if (ownStream != null) {
            ownStream.close();
        }
        if (ownStore != null) {
            ownStore.close();
        }
    }

    /** Refuses what cannot work on this stream; returns what an operator should change on it. */
    List<String> check(StreamState state, Partitions divided, ConsumerMode mode) {
        if (settings.start() == Start.NOW && state.retention() == Retention.WORK_QUEUE) {
            throw new InvalidInputException("stream " + state.name() + " is a work queue: with start: now its workers"
                    + " would delete the messages it holds without handling them. Use start: earliest, or purge the"
                    + " stream yourself");
        }
        int known = divided.known().size();
        return StreamFit.of(state, divided, known, mode).orRefuse().warnings();
    }

    /** Makes the dead-letter stream when it is missing; refuses one that would lose letters. */
    DeadLetterSink deadLetterSink(StreamState state) {
        DeadLetters letters = deadLetters;
        if (letters == null && settings.deadLetters() != null) {
            JetStreamDeadLetters kept = new JetStreamDeadLetters(
                    connection(), new DeadLetterStream(settings.deadLetters(), 0, state.replicas()), prefix, timeout);
            kept.ensure().forEach(LOG::warn);
            letters = kept;
        }
        if (letters == null) {
            return given -> "no dead-letter stream is configured: set one, or fix the handler (last failure: "
                    + given.reason() + ")";
        }
        DeadLetters sink = letters;
        return given -> problem(sink.put(letter(given, state)));
    }

    private DeadLetter letter(DeadLetterSink.GivenUp given, StreamState state) {
        StreamMessage message = given.message();
        return new DeadLetter(
                new LetterId(given.stream(), given.partition().index(), message.sequence()),
                state.name(),
                message.subject(),
                given.partition().id(),
                given.worker(),
                given.reason(),
                given.attempts(),
                given.since(),
                wallClock.instant(),
                message.headers(),
                message.data());
    }

    private static @Nullable String problem(PutOutcome outcome) {
        return switch (outcome) {
            case PutOutcome.Stored stored -> null;
            case PutOutcome.AlreadyThere before -> null;
            case PutOutcome.Full full -> full.reason();
            case PutOutcome.Unavailable away -> away.reason();
        };
    }

    String prefix() {
        return prefix;
    }

    Partitions partitions() {
        if (partitions == null) {
            throw new IllegalStateException("no partitions");
        }
        return partitions;
    }

    MessageHandler handler() {
        if (handler == null) {
            throw new IllegalStateException("no handler");
        }
        return handler;
    }

    WorkerSettings settings() {
        return settings;
    }

    WorkerListener listener() {
        return listener;
    }

    Assigner assigner() {
        return assigner;
    }

    List<MemberSecret> secrets() {
        return secrets;
    }

    Clockwork clockwork() {
        return clockwork;
    }

    InstantSource wallClock() {
        return wallClock;
    }

    Supplier<String> incarnations() {
        return incarnations;
    }
}

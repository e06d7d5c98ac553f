package dev.sluice.worker.simulation;

import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.ConsumerState;
import dev.sluice.worker.stream.StreamRefusedException;
import dev.sluice.worker.stream.StreamState;
import dev.sluice.worker.stream.StreamState.Retention;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One JetStream stream as its server keeps it: messages, consumers, and what retention does to them. One thread calls. */
final class ModelServer {
    private static final int EXISTS_OTHERWISE = 10148;
    private static final int NEEDS_EXPLICIT_ACK = 10098;
    private static final int NEEDS_DELIVER_ALL = 10101;
    private static final int OWN_FILTERS_OVERLAP = 10138;

    private final ModelTime time;
    private final String name;
    private final Retention retention;
    private final int maxConsumers;
    private final int maxPerSubject;
    private final boolean newest;
    private Instant created;
    private final TreeMap<Long, ModelMessage> messages = new TreeMap<>();
    private final TreeMap<String, ModelConsumer> consumers = new TreeMap<>();
    private Consumer<ModelMessage> onErased = message -> {};
    private String leader = "";
    private boolean hintsLag;
    private long last;

    /** @param newest whether it does as 2.15 does where 2.10 does otherwise */
    ModelServer(ModelTime time, String name, Retention retention, int maxConsumers, int maxPerSubject, boolean newest) {
        this.time = time;
        this.name = name;
        this.retention = retention;
        this.maxConsumers = maxConsumers;
        this.maxPerSubject = maxPerSubject;
        this.newest = newest;
        this.created = time.instant();
    }

    /** Shown every message that retention removes, because consumers are through with it or nobody wants it. */
    void onErased(Consumer<ModelMessage> check) {
        onErased = check;
    }

    StreamState state() {
        return new StreamState(
                name,
                created,
                retention,
                first(),
                last,
                maxConsumers,
                maxPerSubject,
                leader.isEmpty() ? 1 : 3,
                List.of(),
                List.of());
    }

    long first() {
        return messages.isEmpty() ? last + 1 : messages.firstKey();
    }

    long last() {
        return last;
    }

    @Nullable
    ModelMessage message(long sequence) {
        return messages.get(sequence);
    }

    NavigableMap<Long, ModelMessage> messagesFrom(long sequence) {
        return messages.tailMap(sequence, true);
    }

    Map<String, Long> subjects(String filter) {
        Map<String, Long> counts = new TreeMap<>();
        for (ModelMessage message : messages.values()) {
            if (Subjects.matches(filter, message.subject())) {
                counts.merge(message.subject(), 1L, Long::sum);
            }
        }
        return counts;
    }

    OptionalLong lastOf(String filter) {
        for (ModelMessage message : messages.descendingMap().values()) {
            if (Subjects.matches(filter, message.subject())) {
                return OptionalLong.of(message.sequence());
            }
        }
        return OptionalLong.empty();
    }

    /** Returns the message's sequence; on an interest stream that nobody is interested in, the message is not kept. */
    long publish(String subject, byte[] data, Map<String, List<String>> headers) {
        ModelMessage message = new ModelMessage(++last, subject, data, headers, time.instant());
        boolean kept = retention != Retention.INTEREST || isWanted(subject);
        if (!kept) {
            onErased.accept(message);
        } else {
            messages.put(last, message);
            replaceOldest(subject);
            List.copyOf(consumers.values()).forEach(ModelConsumer::pump);
        }
        return message.sequence();
    }

    /** Whether some consumer has a filter for it. */
    boolean isWanted(String subject) {
        return wanting(subject) > 0;
    }

    /** How many consumers have a filter for it. */
    long wanting(String subject) {
        return consumers.values().stream()
                .filter(consumer -> consumer.wants(subject))
                .count();
    }

    private void replaceOldest(String subject) {
        if (maxPerSubject > 0) {
            List<Long> mine = messages.values().stream()
                    .filter(message -> message.subject().equals(subject))
                    .map(ModelMessage::sequence)
                    .toList();
            mine.stream().limit(Math.max(0, mine.size() - maxPerSubject)).forEach(messages::remove);
        }
    }

    /** Removes everything below this sequence, as limits and operators do. */
    void purgeBelow(long sequence) {
        messages.headMap(sequence, false).clear();
    }

    /** A consumer is through with a message. On new servers it no longer counts where another one has taken over. */
    void settled(ModelConsumer by, ModelMessage message) {
        boolean gone = switch (retention) {
            case LIMITS -> false;
            case WORK_QUEUE -> !newest || by.wants(message.subject()) || !isWanted(message.subject());
            case INTEREST -> !isNeeded(message);
        };
        if (gone && messages.remove(message.sequence()) != null) {
            onErased.accept(message);
        }
    }

    private boolean isNeeded(ModelMessage message) {
        return consumers.values().stream().anyMatch(consumer -> consumer.needs(message));
    }

    ConsumerState create(ConsumerSpec spec) {
        ModelConsumer there = consumers.get(spec.name());
        if (there != null) {
            if (!there.spec().equals(spec)) {
                throw new StreamRefusedException(EXISTS_OTHERWISE, "consumer already exists");
            }
            return there.state();
        }
        check(spec);
        long start = Math.max(newest ? spec.startSequence() : Math.min(spec.startSequence(), last + 1), first());
        ModelConsumer consumer = new ModelConsumer(this, time, spec, start, leader);
        consumers.put(spec.name(), consumer);
        watchActivity(consumer);
        return consumer.state();
    }

    private void check(ConsumerSpec spec) {
        checkOwnFilters(spec.filters());
        if (maxConsumers > 0 && consumers.size() >= maxConsumers) {
            throw new StreamRefusedException(
                    StreamRefusedException.TOO_MANY_CONSUMERS, "maximum consumers limit reached");
        }
        if (retention == Retention.WORK_QUEUE) {
            if (!spec.explicitAck()) {
                throw new StreamRefusedException(NEEDS_EXPLICIT_ACK, "workqueue stream requires explicit ack");
            }
            if (spec.startSequence() > 0) {
                throw new StreamRefusedException(NEEDS_DELIVER_ALL, "consumer must be deliver all on workqueue stream");
            }
            checkUnique(spec.name(), spec.filters());
        }
    }

    private static void checkOwnFilters(List<String> filters) {
        for (int i = 0; i < filters.size(); i++) {
            for (int j = 0; j < i; j++) {
                if (Subjects.overlap(filters.get(i), filters.get(j))) {
                    throw new StreamRefusedException(OWN_FILTERS_OVERLAP, "consumer subject filters cannot overlap");
                }
            }
        }
    }

    private void checkUnique(String consumer, List<String> filters) {
        for (ModelConsumer other : consumers.values()) {
            if (!other.spec().name().equals(consumer) && Subjects.overlap(other.filters(), filters)) {
                throw new StreamRefusedException(
                        StreamRefusedException.FILTERS_OVERLAP, "filtered consumer not unique on workqueue stream");
            }
        }
    }

    /** Accepts new filters; they take effect after this delay. */
    void changeFilters(String consumer, List<String> filters, Duration delay) {
        if (!consumers.containsKey(consumer)) {
            throw new StreamRefusedException(StreamRefusedException.NO_SUCH_CONSUMER, "consumer not found");
        }
        checkOwnFilters(filters);
        if (retention == Retention.WORK_QUEUE) {
            checkUnique(consumer, filters);
        }
        if (delay.isZero()) {
            applyFilters(consumer, filters);
        } else {
            time.after(delay, "filters of " + consumer, () -> applyFilters(consumer, filters));
        }
    }

    private void applyFilters(String name, List<String> filters) {
        ModelConsumer consumer = consumers.get(name);
        if (consumer != null) {
            consumer.changeFilters(filters);
            sweep();
        }
    }

    /** On an interest stream, what no consumer needs any more goes. */
    private void sweep() {
        if (retention == Retention.INTEREST) {
            for (ModelMessage message : List.copyOf(messages.values())) {
                if (!isNeeded(message)) {
                    messages.remove(message.sequence());
                    onErased.accept(message);
                }
            }
        }
    }

    Optional<ConsumerState> info(String consumer) {
        return Optional.ofNullable(consumers.get(consumer)).map(ModelConsumer::state);
    }

    List<String> names(String prefix) {
        return consumers.keySet().stream()
                .filter(name -> name.startsWith(prefix))
                .toList();
    }

    boolean delete(String consumer) {
        ModelConsumer gone = consumers.remove(consumer);
        if (gone != null) {
            gone.deleted();
            sweep();
        }
        return gone != null;
    }

    void request(String consumer, PullRequest request) {
        ModelConsumer asked = consumers.get(consumer);
        if (asked == null) {
            request.reply.refused("503 no responders");
        } else {
            asked.request(request);
        }
    }

    boolean hasRequestOf(String consumer, PullRequest.Reply reply) {
        ModelConsumer asked = consumers.get(consumer);
        return asked != null && asked.hasRequestOf(reply);
    }

    /** How many deliveries the consumer has made. */
    long deliveries(String consumer) {
        ModelConsumer asked = consumers.get(consumer);
        return asked == null ? 0 : asked.deliveries();
    }

    void ack(String consumer, long sequence) {
        Optional.ofNullable(consumers.get(consumer)).ifPresent(known -> known.ack(sequence));
    }

    void inProgress(String consumer, long sequence) {
        Optional.ofNullable(consumers.get(consumer)).ifPresent(known -> known.inProgress(sequence));
    }

    private void watchActivity(ModelConsumer consumer) {
        Duration threshold = consumer.spec().inactiveThreshold();
        if (threshold != null) {
            time.after(threshold.dividedBy(2), "inactivity", () -> {
                if (consumers.get(consumer.spec().name()) == consumer) {
                    if (consumer.isInactive()) {
                        delete(consumer.spec().name());
                    } else {
                        watchActivity(consumer);
                    }
                }
            });
        }
    }

    /** A cluster of three instead of one server: consumers have leaders that change. */
    void isLedBy(String server) {
        leader = server;
    }

    /** From now on the number of pending messages is now and then that of a replica that lags. */
    void hintsLag(boolean lag) {
        hintsLag = lag;
    }

    long hint(long pending) {
        return hintsLag && time.random().nextInt(5) == 0 ? 0 : pending;
    }

    /** The stream was deleted and made again, and clients have not noticed it yet: their consumers still exist. */
    void makeAgain() {
        messages.clear();
        last = 0;
        created = time.instant();
    }

    /** The server was killed and is back: consumers in memory are gone, the others forgot a little. */
    void restart() {
        for (ModelConsumer consumer : List.copyOf(consumers.values())) {
            if (consumer.spec().inMemory()) {
                delete(consumer.spec().name());
            } else {
                consumer.losesLeader(leader, false);
            }
        }
    }

    /** Another server leads the consumers that have replicas. */
    void changeLeader(String next, boolean tellsClients) {
        leader = next;
        List<ModelConsumer> replicated = new ArrayList<>(consumers.values());
        replicated.removeIf(consumer -> consumer.spec().inMemory());
        replicated.forEach(consumer -> consumer.losesLeader(next, tellsClients));
    }
}

package dev.sluice.worker.simulation;

import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.ConsumerState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One pull consumer of the model: its position, what is not acknowledged, and the requests that wait. */
final class ModelConsumer {
    private final ModelServer server;
    private final ModelTime time;
    private final ConsumerSpec spec;
    private final Instant created;
    private final Map<String, Boolean> matched = new HashMap<>();
    private final TreeSet<Long> due = new TreeSet<>();
    private final Deque<PullRequest> requests = new ArrayDeque<>();
    private List<String> filters;
    private String leader;
    private ConsumerProgress progress;
    /** What survives the end of its leader. */
    private ConsumerProgress saved;

    private long activeAt;
    private boolean timerRuns;

    ModelConsumer(ModelServer server, ModelTime time, ConsumerSpec spec, long start, String leader) {
        this.server = server;
        this.time = time;
        this.spec = spec;
        this.created = time.instant();
        this.filters = spec.filters();
        this.leader = leader;
        this.progress = new ConsumerProgress(start);
        this.saved = progress.copy();
        this.activeAt = time.nanos();
    }

    ConsumerSpec spec() {
        return spec;
    }

    List<String> filters() {
        return filters;
    }

    /** The position stays where it is: at least past everything that the old filters passed over. */
    void changeFilters(List<String> others) {
        nextMessage();
        filters = List.copyOf(others);
        matched.clear();
        saved = progress.copy();
        pump();
    }

    ConsumerState state() {
        return new ConsumerState(
                spec.name(),
                filters,
                leader,
                created,
                pending(),
                progress.unacked.size(),
                progress.unacked.values().stream().filter(u -> u.count > 1).count(),
                progress.floor(),
                spec.explicitAck(),
                !requests.isEmpty());
    }

    private long pending() {
        return server.messagesFrom(progress.next).values().stream()
                .filter(message -> wants(message.subject()))
                .count();
    }

    boolean wants(String subject) {
        return matched.computeIfAbsent(subject, any -> Subjects.matchesAny(filters, subject));
    }

    /** On an interest stream: whether the message must be kept for this consumer. */
    boolean needs(ModelMessage message) {
        boolean open = message.sequence() >= progress.next || progress.unacked.containsKey(message.sequence());
        return open && wants(message.subject());
    }

    void request(PullRequest request) {
        activeAt = time.nanos();
        requests.removeIf(waiting -> !waiting.reply.isConnected());
        if (requests.size() >= spec.maxWaiting()) {
            request.reply.refused("409 Exceeded MaxWaiting");
            return;
        }
        requests.add(request);
        pump();
    }

    boolean hasRequestOf(PullRequest.Reply reply) {
        return requests.stream().anyMatch(request -> request.reply == reply);
    }

    long deliveries() {
        return progress.sequence;
    }

    /** Delivers what it can. */
    void pump() {
        endExpired();
        while (!requests.isEmpty()) {
            ModelMessage message = dueMessage();
            if (message == null) {
                boolean full = spec.explicitAck() && progress.unacked.size() >= spec.maxAckPending();
                message = full ? null : nextMessage();
            }
            if (message == null) {
                return;
            }
            PullRequest request = requests.element();
            if (!request.takes(message.data().length)) {
                requests.remove();
                request.reply.ended(request.left());
                continue;
            }
            deliver(request, message);
            if (request.left() == 0) {
                requests.remove();
            }
        }
    }

    private void endExpired() {
        for (Iterator<PullRequest> all = requests.iterator(); all.hasNext(); ) {
            PullRequest request = all.next();
            if (!request.reply.isConnected()) {
                all.remove();
            } else if (request.isExpired(time.nanos())) {
                all.remove();
                request.reply.ended(request.left());
            }
        }
    }

    private @Nullable ModelMessage dueMessage() {
        while (!due.isEmpty()) {
            ModelMessage message = server.message(due.first());
            if (message != null) {
                return message;
            }
            progress.unacked.remove(due.pollFirst());
        }
        return null;
    }

    private @Nullable ModelMessage nextMessage() {
        for (ModelMessage message : server.messagesFrom(progress.next).values()) {
            if (wants(message.subject())) {
                progress.next = message.sequence();
                return message;
            }
        }
        progress.next = Math.max(progress.next, server.last() + 1);
        return null;
    }

    private void deliver(PullRequest request, ModelMessage message) {
        long sequence = message.sequence();
        boolean again = due.remove(sequence);
        if (!again) {
            progress.next = sequence + 1;
        }
        progress.sequence++;
        int count = 1;
        if (spec.explicitAck()) {
            count = progress.delivered(sequence, time.nanos() + spec.ackWait().toNanos());
            startTimer();
        }
        maySave();
        request.deliver(new ModelDelivery(
                message, spec.name(), progress.sequence, count, server.hint(pending()), request.reply.acks()));
        if (!spec.explicitAck()) {
            server.settled(this, message);
        }
    }

    /** Counts whoever sends it, also one that got the message from an earlier consumer of this name. */
    void ack(long sequence) {
        activeAt = time.nanos();
        if (progress.unacked.remove(sequence) != null) {
            due.remove(sequence);
            maySave();
            ModelMessage message = server.message(sequence);
            if (message != null) {
                server.settled(this, message);
            }
            pump();
        }
    }

    void inProgress(long sequence) {
        ConsumerProgress.Unacked unacked = progress.unacked.get(sequence);
        if (unacked != null && !due.contains(sequence)) {
            unacked.deadline = time.nanos() + spec.ackWait().toNanos();
        }
    }

    private void startTimer() {
        if (!timerRuns && !progress.unacked.isEmpty()) {
            timerRuns = true;
            long earliest = progress.unacked.entrySet().stream()
                    .filter(entry -> !due.contains(entry.getKey()))
                    .mapToLong(entry -> entry.getValue().deadline - time.nanos())
                    .min()
                    .orElse(spec.ackWait().toNanos());
            time.after(Duration.ofNanos(Math.max(1, earliest)), "ack wait", this::timer);
        }
    }

    private void timer() {
        timerRuns = false;
        progress.unacked.forEach((sequence, unacked) -> {
            if (unacked.deadline - time.nanos() <= 0) {
                due.add(sequence);
            }
        });
        pump();
        startTimer();
    }

    /** Now and then the position is written; not before it is used. */
    private void maySave() {
        if (time.random().nextInt(10) == 0) {
            saved = progress.copy();
        }
    }

    /** Another server leads, or the same one after a restart: a little may be forgotten, and all requests are. */
    void losesLeader(String next, boolean tellsClients) {
        leader = next;
        progress = saved.copy();
        due.clear();
        due.addAll(progress.unacked.keySet());
        List<PullRequest> waiting = List.copyOf(requests);
        requests.clear();
        if (tellsClients) {
            waiting.forEach(request -> request.reply.refused("409 Leadership Change"));
        }
    }

    void deleted() {
        List<PullRequest> waiting = List.copyOf(requests);
        requests.clear();
        waiting.forEach(request -> request.reply.refused("409 Consumer Deleted"));
    }

    boolean isInactive() {
        endExpired();
        Duration threshold = spec.inactiveThreshold();
        return threshold != null && requests.isEmpty() && time.nanos() - activeAt >= threshold.toNanos();
    }
}

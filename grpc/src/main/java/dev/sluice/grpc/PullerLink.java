package dev.sluice.grpc;

import dev.sluice.feed.LogHead;
import dev.sluice.grpc.puller.v1.LogState;
import dev.sluice.grpc.puller.v1.LogsReply;
import dev.sluice.grpc.puller.v1.LogsRequest;
import dev.sluice.grpc.puller.v1.PullerServiceGrpc;
import dev.sluice.grpc.puller.v1.ResolveReply;
import dev.sluice.grpc.puller.v1.ResolveRequest;
import dev.sluice.model.EventId;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Position;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One Puller: the calls about its logs, and what is known of their heads. Heads are asked for when they are older than
 * 100 ms; readers tell those that come with their batches. They may be old, never ahead of what is committed.
 */
final class PullerLink implements AutoCloseable {
    private static final long HEADS_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int ANSWER_SECONDS = 3;

    private final String address;
    private final ManagedChannel channel;
    private final Map<String, LogHead> heads = new ConcurrentHashMap<>();
    private final ReentrantLock asking = new ReentrantLock();
    /** 0: never, or forgotten. */
    private volatile long askedAt;

    PullerLink(PullerAccess access, String address) {
        this.address = address;
        this.channel = access.channel(address);
    }

    String address() {
        return address;
    }

    /** @throws PullerFailure when the Puller cannot be asked */
    Map<String, LogHead> heads() {
        if (!fresh()) {
            asking.lock();
            try {
                if (!fresh()) {
                    ask();
                }
            } finally {
                asking.unlock();
            }
        }
        return Map.copyOf(heads);
    }

    private boolean fresh() {
        long asked = askedAt;
        return asked != 0 && System.nanoTime() - asked < HEADS_NANOS;
    }

    private void ask() {
        long now = System.nanoTime();
        LogsReply reply = call(() -> stub().logs(LogsRequest.getDefaultInstance()));
        Map<String, LogHead> told = readable(reply, PullerLink::headsOf);
        heads.keySet().retainAll(told.keySet());
        told.forEach((log, head) -> heads.merge(log, head, PullerLink::later));
        askedAt = now | 1;
    }

    private static Map<String, LogHead> headsOf(LogsReply reply) {
        Map<String, LogHead> told = new HashMap<>();
        for (LogState log : reply.getLogsList()) {
            told.put(
                    log.getLog(),
                    new LogHead(
                            log.getIdentity(),
                            position(log.getHeadId(), log.getHeadOrdinal()),
                            position(log.getOldestId(), log.getOldestOrdinal())));
        }
        return told;
    }

    private static LogHead later(LogHead known, LogHead told) {
        return known.identity() != told.identity()
                ? told
                : new LogHead(
                        told.identity(),
                        Position.higher(told.head(), known.head()),
                        Position.higher(told.oldest(), known.oldest()));
    }

    /** A batch told the head of this log. */
    void heard(String log, long identity, Position head) {
        heads.computeIfPresent(
                log,
                (name, known) -> known.identity() == identity && known.head().isBefore(head)
                        ? new LogHead(identity, head, known.oldest())
                        : known);
    }

    /** The head of this log, as far as it is known. */
    @Nullable
    Position known(String log, long identity) {
        LogHead head = heads.get(log);
        return head != null && head.identity() == identity ? head.head() : null;
    }

    /** A log has another identity than was known. */
    void forgetHeads() {
        askedAt = 0;
    }

    /** @throws PullerFailure when the Puller cannot be asked, or refuses */
    List<Position> resolve(String log, long identity, List<EventId> ids) {
        List<Position> positions = new ArrayList<>(ids.size());
        for (int from = 0; from < ids.size(); from += LogCalls.MAX_IDS) {
            List<EventId> some = ids.subList(from, Math.min(ids.size(), from + LogCalls.MAX_IDS));
            ResolveRequest request = ResolveRequest.newBuilder()
                    .setLog(log)
                    .setLogIdentity(identity)
                    .addAllIds(some.stream().map(EventId::toString).toList())
                    .build();
            ResolveReply reply = call(() -> stub().resolve(request));
            positions.addAll(readable(reply, PullerLink::positionsOf));
        }
        return positions;
    }

    private static List<Position> positionsOf(ResolveReply reply) {
        return reply.getPositionsList().stream()
                .map(position -> position(position.getId(), position.getOrdinal()))
                .toList();
    }

    static Position position(String id, int ordinal) {
        return new Position(EventId.parse(id), ordinal);
    }

    private PullerServiceGrpc.PullerServiceBlockingStub stub() {
        return PullerServiceGrpc.newBlockingStub(channel).withDeadlineAfter(ANSWER_SECONDS, TimeUnit.SECONDS);
    }

    private <T> T call(Supplier<T> call) {
        try {
            return call.get();
        } catch (StatusRuntimeException failed) {
            throw PullerFailure.of(address, failed.getStatus(), failed.getTrailers());
        }
    }

    private <R, T> T readable(R reply, Function<R, T> reading) {
        try {
            return reading.apply(reply);
        } catch (InvalidInputException unreadable) {
            throw PullerFailure.unreadable(address, unreadable);
        }
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}

package dev.sluice.grpc;

import dev.sluice.grpc.puller.v1.LogsReply;
import dev.sluice.grpc.puller.v1.LogsRequest;
import dev.sluice.grpc.puller.v1.ResolveReply;
import dev.sluice.grpc.puller.v1.ResolveRequest;
import dev.sluice.log.EventLogException;
import dev.sluice.log.LogReader;
import dev.sluice.log.LogState;
import dev.sluice.model.EventId;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Position;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.SortedMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The calls that name a log: which logs there are, and where event ids stand in one. */
final class LogCalls {
    /** More ids in one call would hold up consumers, whose threads resolve them. */
    static final int MAX_IDS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(LogCalls.class);

    private final SortedMap<String, LogReader> logs;
    private final Executor threads;

    /** @param threads on which logs are read */
    LogCalls(SortedMap<String, LogReader> logs, Executor threads) {
        this.logs = logs;
        this.threads = threads;
    }

    /**
     * Returns the log of this name.
     *
     * @param identity that it must have; 0: any
     * @throws StatusRuntimeException when there is none, or it has another identity
     */
    LogReader log(String name, long identity) {
        LogReader log = logs.get(name);
        if (log == null) {
            throw Status.NOT_FOUND
                    .withDescription("This server has no log " + InvalidInputException.quote(name) + ".")
                    .asRuntimeException();
        }
        long present = log.state().identity();
        if (present == 0) {
            throw Status.UNAVAILABLE
                    .withDescription("The event log '" + name + "' could not be opened: see the log of this server.")
                    .asRuntimeException();
        }
        if (identity != 0 && identity != present) {
            throw changed(name, identity, present);
        }
        return log;
    }

    private static StatusRuntimeException changed(String name, long asked, long present) {
        String identity = Long.toUnsignedString(present, 16);
        Metadata trailers = new Metadata();
        trailers.put(ProgressHeaders.LOG_IDENTITY, identity);
        return Status.FAILED_PRECONDITION
                .withDescription("The log '" + name + "' has the identity " + identity + ", not "
                        + Long.toUnsignedString(asked, 16) + ": resolve every position anew by its event id.")
                .asRuntimeException(trailers);
    }

    /** Reads memory only, so it answers on the connection's own thread. */
    void logs(LogsRequest request, StreamObserver<LogsReply> caller) {
        LogsReply.Builder reply = LogsReply.newBuilder();
        logs.forEach((name, log) -> {
            LogState state = log.state();
            if (state.identity() != 0) {
                reply.addLogs(message(name, state));
            }
        });
        caller.onNext(reply.build());
        caller.onCompleted();
    }

    private static dev.sluice.grpc.puller.v1.LogState message(String name, LogState state) {
        Position head = state.head().toPosition();
        Position oldest = state.evictedThrough().toPosition();
        return dev.sluice.grpc.puller.v1.LogState.newBuilder()
                .setLog(name)
                .setIdentity(state.identity())
                .setHeadId(head.id().toString())
                .setHeadOrdinal(head.ordinal())
                .setOldestId(oldest.id().toString())
                .setOldestOrdinal(oldest.ordinal())
                .build();
    }

    void resolve(ResolveRequest request, StreamObserver<ResolveReply> caller) {
        try {
            threads.execute(() -> answer(request, caller));
        } catch (RejectedExecutionException stopped) {
            caller.onError(Status.UNAVAILABLE
                    .withDescription("The server is stopping: connect again, here or elsewhere.")
                    .asRuntimeException());
        }
    }

    private void answer(ResolveRequest request, StreamObserver<ResolveReply> caller) {
        ResolveReply reply;
        try {
            reply = resolved(request);
        } catch (Throwable fault) {
            caller.onError(statusOf(fault));
            return;
        }
        caller.onNext(reply);
        caller.onCompleted();
    }

    private ResolveReply resolved(ResolveRequest request) {
        if (request.getIdsCount() > MAX_IDS) {
            throw new InvalidInputException(request.getIdsCount() + " ids are named, " + MAX_IDS
                    + " are allowed: split them over several calls");
        }
        LogReader log = log(request.getLog(), request.getLogIdentity());
        ResolveReply.Builder reply = ResolveReply.newBuilder();
        for (String id : request.getIdsList()) {
            Position position = log.resolve(EventId.parse(id));
            reply.addPositions(dev.sluice.grpc.puller.v1.Position.newBuilder()
                    .setId(position.id().toString())
                    .setOrdinal(position.ordinal()));
        }
        return reply.build();
    }

    private static StatusRuntimeException statusOf(Throwable fault) {
        return switch (fault) {
            case StatusRuntimeException refused -> refused;
            case InvalidInputException bad ->
                Status.INVALID_ARGUMENT.withDescription(bad.getMessage()).asRuntimeException();
            case EventLogException unreadable ->
                Status.UNAVAILABLE
                        .withDescription("An event log cannot be read: " + unreadable.getMessage())
                        .asRuntimeException();
            default -> {
                LOG.error("Event ids could not be resolved.", fault);
                yield Status.INTERNAL
                        .withDescription("The server failed; its log says why. Call again.")
                        .asRuntimeException();
            }
        };
    }
}

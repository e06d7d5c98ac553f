package dev.sluice.gateway.web;

import dev.sluice.deliver.EventType;
import dev.sluice.gateway.EventCallback;
import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.MissedEventsException;
import dev.sluice.gateway.QuotaExceededException;
import dev.sluice.gateway.ReceivedEvent;
import dev.sluice.gateway.ResumeId;
import dev.sluice.gateway.StreamerUnavailableException;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Subscription;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of one WebSocket. In: {@code {"op":"hello","version"}}, {@code
 * {"op":"subscribe","id","tenant","collection","filter","lastEventId"}}, {@code {"op":"unsubscribe","id"}}; out: see {@link
 * SocketText}. The ids are the client's own. A connection speaks version 0 until it says hello, or subscribes with {@code
 * lastEventId}. Messages come one after the other.
 */
final class SocketSession {
    private static final int LONGEST_ID = 200;

    private static final String NOT_REPLACED =
            "changes are missing: the subscription that was to replace this one was not accepted";

    private final String name;
    private final Gateway gateway;
    private final Caller caller;
    private final WebLimits limits;
    private final ClientQueue queue;
    private final WebCounters counters;
    private final Clock clock;
    /** By the client's ids. The thread that writes to the client reads it, too. */
    private final Map<String, SocketSubscription> subscriptions = new ConcurrentHashMap<>();

    /** The connection may end while a message of it is being handled. */
    private final ReentrantLock turn = new ReentrantLock();

    private volatile SocketText text = SocketText.VERSION_0;
    private boolean closed;
    private int made;

    /** @param name nobody else's, ever */
    SocketSession(
            String name,
            Gateway gateway,
            Caller caller,
            WebLimits limits,
            ClientQueue queue,
            WebCounters counters,
            Clock clock) {
        this.counters = counters;
        this.name = name;
        this.gateway = gateway;
        this.caller = caller;
        this.limits = limits;
        this.queue = queue;
        this.clock = clock;
    }

    void receive(String message) {
        String id = "";
        turn.lock();
        try {
            SocketRequest request = SocketRequest.read(message);
            id = request.id();
            if (!closed) {
                act(request);
            }
        } catch (InvalidInputException invalid) {
            counters.refused(WebCounters.Refusal.INVALID);
            queue.put(text.error(id, String.valueOf(invalid.getMessage()), false));
        } catch (StreamerUnavailableException | QuotaExceededException notNow) {
            queue.put(text.error(id, String.valueOf(notNow.getMessage()), true));
        } catch (RefusedException refused) {
            counters.refused(refused);
            queue.put(text.error(id, refused.reason(), refused.isUnauthenticated()));
        } finally {
            turn.unlock();
        }
    }

    private void act(SocketRequest request) throws RefusedException {
        if (request.op().equals("hello")) {
            hello(request.version());
            return;
        }
        if (request.id().isEmpty() || request.id().length() > LONGEST_ID) {
            throw RefusedException.bad("\"id\" is yours to choose: 1 to " + LONGEST_ID + " characters");
        }
        switch (request.op()) {
            case "subscribe" -> subscribe(request);
            case "unsubscribe" -> unsubscribe(request.id());
            default -> throw RefusedException.bad("\"op\" is subscribe or unsubscribe");
        }
    }

    private void hello(String version) throws RefusedException {
        if (!version.equals(SocketText.NEWEST)) {
            throw RefusedException.bad("this gateway does not speak version " + InvalidInputException.quote(version)
                    + " of the WebSocket protocol: say hello with \"version\":" + SocketText.NEWEST);
        }
        text = SocketText.VERSION_1;
        queue.put(ClientMessage.of(SocketText.hello(limits.ping())));
    }

    private void subscribe(SocketRequest request) throws RefusedException {
        if (request.lastEventId() != null) {
            text = SocketText.VERSION_1;
        }
        if (caller.isOver(clock)) {
            throw RefusedException.unauthenticated("your token has expired");
        }
        String theirs = request.id();
        SocketSubscription before = subscriptions.get(theirs);
        if (before == null && subscriptions.size() >= limits.subscriptionsPerConnection()) {
            throw RefusedException.busy(
                    "a connection has at most " + limits.subscriptionsPerConnection() + " subscriptions");
        }
        SocketSubscription mine = new SocketSubscription(name + '-' + ++made, theirs);
        String after = Objects.requireNonNullElse(request.lastEventId(), "");
        Wish wish = new Wish(request.tenant(), request.collection(), request.filter(), after);
        Subscription wanted = wish.subscription(mine.id(), gateway.id(), caller);
        String progress;
        try {
            progress = register(theirs, wanted, ResumeId.parse(after), event -> pass(event, mine, before));
        } catch (RuntimeException | Error refused) {
            abandon(theirs, mine, before);
            throw refused;
        }
        // Only now: a subscription that is refused does not replace the one before.
        unsubscribe(theirs);
        subscriptions.put(theirs, mine);
        if (text.resumes()) {
            mine.tell(progress, () -> queue.put(text.subscribed(theirs, progress)));
        }
    }

    /** Ends a subscription that was not accepted; the one before goes on. */
    private void abandon(String theirs, SocketSubscription mine, @Nullable SocketSubscription before) {
        mine.end();
        gateway.unsubscribe(mine.id());
        if (before != null) {
            String id = before.id();
            before.revive(() -> gateway.resumeId(id), progress -> {
                counters.resync();
                queue.put(text.resync(theirs, NOT_REPLACED, progress));
            });
        }
    }

    /** Returns the first resume id: behind the one that the client sent, or from now on where that is too old. */
    private String register(String theirs, Subscription wanted, ResumeId after, EventCallback callback) {
        try {
            return gateway.subscribe(wanted, after, callback);
        } catch (MissedEventsException tooOld) {
            String now = gateway.subscribe(wanted.startingAt(Optional.empty()), callback);
            counters.resync();
            queue.put(text.resync(theirs, String.valueOf(tooOld.getMessage()), now));
            return now;
        }
    }

    /** Its first event silences the one before: the changes that one still has to tell may be older. */
    private void pass(ReceivedEvent event, SocketSubscription mine, @Nullable SocketSubscription before) {
        mine.tell(event.resumeId(), () -> {
            if (before != null) {
                before.end();
            }
            if (event.type() == EventType.RESYNC) {
                counters.resync();
            }
            queue.put(text.event(mine, event));
        });
    }

    private void unsubscribe(String id) {
        SocketSubscription ours = subscriptions.remove(id);
        if (ours != null) {
            ours.end();
            gateway.unsubscribe(ours.id());
        }
    }

    /**
     * Returns the messages for a client that has been idle: resume ids that moved, so that the client's ids do not age, and a
     * sign of life. Empty for version 0, whose clients know neither. For the only thread that writes to the client.
     */
    List<ClientMessage> idle() {
        if (!text.resumes()) {
            return List.of();
        }
        List<ClientMessage> messages = new ArrayList<>();
        subscriptions.forEach((theirs, mine) -> {
            String progress = gateway.resumeId(mine.id());
            // In this order: when nothing waits now, every event up to this id has been written.
            if (mine.isNews(progress) && queue.isOpenAndEmpty()) {
                mine.tell(progress, () -> messages.add(ClientMessage.of(text.progress(theirs, progress))));
            }
        });
        messages.add(ClientMessage.of(SocketText.PING));
        return messages;
    }

    /** The connection is gone. */
    void close() {
        queue.close();
        turn.lock();
        try {
            closed = true;
            subscriptions.values().forEach(each -> gateway.unsubscribe(each.id()));
            subscriptions.clear();
        } finally {
            turn.unlock();
        }
    }
}

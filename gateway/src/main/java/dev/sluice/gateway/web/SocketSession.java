package dev.sluice.gateway.web;

import dev.sluice.deliver.EventType;
import dev.sluice.deliver.JsonText;
import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.JsonScan;
import dev.sluice.gateway.ReceivedEvent;
import dev.sluice.gateway.StreamerUnavailableException;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Subscription;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of one WebSocket. In: {@code {"op":"subscribe","id","tenant","collection","filter"}}, {@code
 * {"op":"unsubscribe","id"}}. Out: {@code {"id","event"}}, {@code {"id","error"}}, {@code {"id","resync"}}. The ids are
 * the client's own. Messages come one after the other.
 */
final class SocketSession {
    private static final int LONGEST_ID = 200;

    private final String name;
    private final Gateway gateway;
    private final Caller caller;
    private final WebLimits limits;
    private final ClientQueue queue;
    private final WebCounters counters;
    private final Clock clock;
    /** The client's ids, and ours. */
    private final Map<String, Mine> subscriptions = new HashMap<>();

    /** The connection may end while a message of it is being handled. */
    private final ReentrantLock turn = new ReentrantLock();

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

    /** A subscription as the gateway knows it. */
    private static final class Mine {
        private final String id;
        private volatile boolean over;

        Mine(String id) {
            this.id = id;
        }
    }

    /** What a client asks for, member by member. */
    private static final class Request {
        private String op = "";
        private String id = "";
        private String tenant = "";
        private String collection = "";
        private String filter = "";

        static Request read(String text) {
            JsonScan scan = new JsonScan(text);
            Request request = new Request();
            scan.object(name -> request.member(name, scan));
            scan.end();
            return request;
        }

        private void member(String name, JsonScan scan) {
            switch (name) {
                case "op" -> op = scan.string();
                case "id" -> id = scan.string();
                case "tenant" -> tenant = text(scan);
                case "collection" -> collection = scan.string();
                case "filter" -> filter = text(scan);
                default -> scan.raw();
            }
        }

        /** A filter is an object, or its text. */
        private static String text(JsonScan scan) {
            if (scan.isNull()) {
                return "";
            }
            return scan.isString() ? scan.string() : scan.raw();
        }
    }

    void receive(String text) {
        String id = "";
        turn.lock();
        try {
            Request request = Request.read(text);
            id = request.id;
            if (!closed) {
                act(request);
            }
        } catch (InvalidInputException invalid) {
            counters.refused(WebCounters.Refusal.INVALID);
            error(id, String.valueOf(invalid.getMessage()));
        } catch (StreamerUnavailableException away) {
            error(id, String.valueOf(away.getMessage()));
        } catch (RefusedException refused) {
            counters.refused(refused);
            error(id, refused.reason());
        } finally {
            turn.unlock();
        }
    }

    private void act(Request request) throws RefusedException {
        if (request.id.isEmpty() || request.id.length() > LONGEST_ID) {
            throw RefusedException.bad("\"id\" is yours to choose: 1 to " + LONGEST_ID + " characters");
        }
        switch (request.op) {
            case "subscribe" -> subscribe(request);
            case "unsubscribe" -> unsubscribe(request.id);
            default -> throw RefusedException.bad("\"op\" is subscribe or unsubscribe");
        }
    }

    private void subscribe(Request request) throws RefusedException {
        if (caller.isOver(clock.instant())) {
            throw RefusedException.unauthenticated("your token has expired");
        }
        String theirs = request.id;
        Mine before = subscriptions.get(theirs);
        if (before == null && subscriptions.size() >= limits.subscriptionsPerConnection()) {
            throw RefusedException.busy(
                    "a connection has at most " + limits.subscriptionsPerConnection() + " subscriptions");
        }
        Mine mine = new Mine(name + '-' + ++made);
        Wish wish = new Wish(request.tenant, request.collection, request.filter, "");
        Subscription subscription = wish.subscription(mine.id, gateway.id(), caller);
        try {
            gateway.subscribe(subscription, event -> pass(theirs, event, mine, before));
        } catch (StreamerUnavailableException unknown) {
            gateway.unsubscribe(mine.id);
            throw unknown;
        }
        // Only now: one that is refused leaves the one before as it was.
        unsubscribe(theirs);
        subscriptions.put(theirs, mine);
    }

    /** From its first event on the one before is over: what that still says may be older. */
    private void pass(String theirs, ReceivedEvent event, Mine mine, @Nullable Mine before) {
        if (before != null) {
            before.over = true;
        }
        if (!mine.over) {
            if (event.type() == EventType.RESYNC) {
                counters.resync();
            }
            queue.put(message(theirs, event));
        }
    }

    private void unsubscribe(String id) {
        Mine ours = subscriptions.remove(id);
        if (ours != null) {
            ours.over = true;
            gateway.unsubscribe(ours.id);
        }
    }

    private static ClientMessage message(String id, ReceivedEvent event) {
        return event.type() == EventType.RESYNC
                ? ClientMessage.of(start(id, "resync") + "true}")
                : ClientMessage.around(start(id, "event"), EncodedEvent.of(event), "}");
    }

    private void error(String id, String reason) {
        StringBuilder quoted = new StringBuilder();
        JsonText.quote(reason, quoted);
        queue.put(ClientMessage.of(start(id, "error") + quoted + '}'));
    }

    private static String start(String id, String what) {
        StringBuilder json = new StringBuilder("{\"id\":");
        JsonText.quote(id, json);
        return json.append(",\"").append(what).append("\":").toString();
    }

    /** The connection is gone. */
    void close() {
        queue.close();
        turn.lock();
        try {
            closed = true;
            subscriptions.values().forEach(each -> gateway.unsubscribe(each.id));
            subscriptions.clear();
        } finally {
            turn.unlock();
        }
    }
}

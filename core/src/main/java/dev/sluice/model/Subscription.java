package dev.sluice.model;

import java.time.Duration;
import java.util.Optional;

/**
 * A standing question: which changes does this gateway want to hear of? Its names have no control characters: they stand
 * in logs, in headers and beside separators.
 *
 * @param gatewayId the gateway that holds it; empty: the hash ring finds one
 * @param tenant only this tenant's documents; empty: of any tenant, known or not
 * @param documentId only this document, by the text of its id
 * @param filter a MongoDB-style query on the document as JSON; {@code {}} matches every document
 * @param ttl how long it lives without being renewed
 * @param from where to start; empty: with the first change after the registration
 * @param failover another gateway may take it over when its own stays away
 * @param transitions it also wants {@code enter} and {@code leave} events (needs pre-images)
 */
public record Subscription(
        String id,
        String gatewayId,
        String tenant,
        String collection,
        Optional<String> documentId,
        String filter,
        Priority priority,
        Duration ttl,
        Optional<ProgressMarker> from,
        boolean failover,
        boolean transitions) {

    public static final Duration DEFAULT_TTL = Duration.ofSeconds(300);
    public static final Duration SHORTEST_TTL = Duration.ofSeconds(60);
    public static final Duration LONGEST_TTL = Duration.ofSeconds(3600);
    static final int MAX_NAME = 512;
    static final int MAX_FILTER = 64 * 1024;

    public Subscription {
        require(!id.isEmpty(), "a subscription needs an id");
        require(!collection.isEmpty(), "a subscription needs a collection");
        name("id", id);
        name("gateway id", gatewayId);
        name("tenant", tenant);
        name("collection", collection);
        documentId.ifPresent(text -> bound("document id", text, MAX_NAME));
        bound("filter", filter, MAX_FILTER);
        require(
                ttl.compareTo(SHORTEST_TTL) >= 0 && ttl.compareTo(LONGEST_TTL) <= 0,
                "a subscription's ttl is between 60 and 3600 seconds, not " + ttl.toSeconds());
    }

    /** With defaults for everything that is optional. */
    public static Subscription of(String id, String gatewayId, String tenant, String collection, String filter) {
        return new Subscription(
                id,
                gatewayId,
                tenant,
                collection,
                Optional.empty(),
                filter,
                Priority.NORMAL,
                DEFAULT_TTL,
                Optional.empty(),
                false,
                false);
    }

    /** The same question, to be answered from there on. */
    public Subscription startingAt(Optional<ProgressMarker> start) {
        return new Subscription(
                id, gatewayId, tenant, collection, documentId, filter, priority, ttl, start, failover, transitions);
    }

    private static void name(String what, String text) {
        bound(what, text, MAX_NAME);
        require(
                UnicodeText.isWithoutControls(text),
                "a subscription's " + what + " has no control characters, such as line breaks: leave them out");
    }

    private static void bound(String what, String text, int max) {
        require(
                text.length() <= max,
                "a subscription's " + what + " has at most " + max + " characters, not " + text.length());
        require(
                UnicodeText.isWhole(text),
                "a subscription's " + what + " has half a character: half of a surrogate pair");
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new InvalidInputException(otherwise);
        }
    }
}

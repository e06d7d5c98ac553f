package dev.sluice.server.streamer;

import java.util.List;

/** What a gateway of the chaos test says to a batch; each protocol has its own words for it. */
sealed interface GatewayAnswer {
    /** It has them, except those at these places, which it never wants. */
    record Taken(List<Integer> rejected) implements GatewayAnswer {}

    /** An HTTP status that says what is wrong with the gateway and nothing of the events. */
    record Away(int status) implements GatewayAnswer {}

    /** Too much at once. */
    record TooLarge() implements GatewayAnswer {}

    /** The sender has been replaced. */
    record Stale() implements GatewayAnswer {}

    /** It has them all, and says nothing. */
    record Silence() implements GatewayAnswer {}
}

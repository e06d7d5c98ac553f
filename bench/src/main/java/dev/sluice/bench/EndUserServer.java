package dev.sluice.bench;

/** A server that end users connect to by WebSocket and server-sent events; it sends them the events that are delivered to it. */
interface EndUserServer extends AutoCloseable {
    /** Where end users connect. */
    int port();

    /** How many are connected. */
    int connections();

    /** Answers a command that only this server knows. */
    default String answer(String[] words) {
        throw new IllegalArgumentException("there is no command " + words[0]);
    }

    @Override
    void close();
}

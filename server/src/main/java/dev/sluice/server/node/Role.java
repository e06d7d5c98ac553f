package dev.sluice.server.node;

/** What one process can be. */
public enum Role {
    PULLER,
    STREAMER,
    GATEWAY,
    OUTBOX,
    WORKER
}

package dev.sluice.server.config;

/** Where checkpoints are kept. The embedded default needs no other server; the others mirror it. */
public enum CheckpointBackend {
    LOCAL,
    MONGODB,
    ETCD
}

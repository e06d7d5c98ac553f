package dev.sluice.outbox.relay;

/** A topic that takes nothing at the moment: its rows wait, whatever their keys. @param attempts how often it was tried */
public record BlockedTopic(String topic, String reason, int attempts) {}

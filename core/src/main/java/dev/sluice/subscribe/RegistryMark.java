package dev.sluice.subscribe;

/**
 * Which registry a store keeps, and how far its changes have come.
 *
 * @param identity made at random with the store; never 0
 * @param revision the highest that was ever stored, also by a removal: it never falls
 */
public record RegistryMark(long identity, long revision) {}

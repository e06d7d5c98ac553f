package dev.sluice.subscribe;

import org.jspecify.annotations.Nullable;

/**
 * One change of the registry.
 *
 * @param revision of this change; revisions rise by at least one from change to change
 * @param before the record until then; null: there was none
 * @param now the record from then on; null: the subscription has ended
 * @param end why it ended; null while it lives
 */
public record RegistryChange(
        long revision,
        String id,
        @Nullable SubscriptionRecord before,
        @Nullable SubscriptionRecord now,
        @Nullable SubscriptionEnd end) {}

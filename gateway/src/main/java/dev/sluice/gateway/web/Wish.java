package dev.sluice.gateway.web;

import dev.sluice.gateway.ResumeId;
import dev.sluice.match.Filter;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Priority;
import dev.sluice.model.Subscription;
import java.util.Optional;

/** What an end user wants to see, before anybody checked it. */
record Wish(String tenant, String collection, String filter, String after) {
    /** @throws RefusedException saying what is wrong with it */
    Subscription subscription(String id, String gatewayId, Caller caller) throws RefusedException {
        String bound = caller.tenantOf(tenant);
        try {
            String text = filter.isBlank() ? "{}" : filter;
            Filter.parse(text);
            return new Subscription(
                    id,
                    gatewayId,
                    bound,
                    collection,
                    Optional.empty(),
                    text,
                    Priority.NORMAL,
                    Subscription.DEFAULT_TTL,
                    ResumeId.parse(after).marker(),
                    false,
                    false);
        } catch (InvalidInputException bad) {
            throw RefusedException.bad(String.valueOf(bad.getMessage()));
        }
    }
}

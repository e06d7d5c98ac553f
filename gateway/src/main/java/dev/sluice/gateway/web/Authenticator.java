package dev.sluice.gateway.web;

import java.util.Optional;

/** Says who an end user is. Called by many threads, once per connection; it may block, briefly. */
@FunctionalInterface
public interface Authenticator {
    /** Lets everybody in, and everybody see every tenant. For loopback and for trying. */
    Authenticator ANYBODY = token -> new Caller("anybody", Optional.empty(), Optional.empty());

    /**
     * @param token what came as {@code Authorization: Bearer …}, or as the query's {@code access_token} (a browser's
     *     EventSource and WebSocket cannot set headers)
     * @throws RefusedException with 401, and a reason that may be shown
     */
    Caller authenticate(Optional<String> token) throws RefusedException;
}

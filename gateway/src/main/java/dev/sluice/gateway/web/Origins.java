package dev.sluice.gateway.web;

import io.helidon.http.HeaderNames;
import io.helidon.http.Headers;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Whose pages may read changes with their visitors' browsers: those of this server, and of listed origins. On loopback
 * it must be called by a name of loopback: any page in the world can have its own name lead there, and then looks like
 * one of ours. Programs send no origin.
 */
final class Origins {
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    private final Set<String> listed;
    private final boolean onLoopback;

    /** @param listed such as {@code https://app.example.com} */
    Origins(Set<String> listed, boolean onLoopback) {
        this.listed = Set.copyOf(listed);
        this.onLoopback = onLoopback;
    }

    void check(Headers headers) throws RefusedException {
        String host = headers.first(HeaderNames.HOST).orElse("").toLowerCase(Locale.ROOT);
        String origin = headers.first(HeaderNames.ORIGIN).orElse("");
        boolean named = !onLoopback || isLoopback(host) || isOrigin(host);
        boolean may = origin.isEmpty()
                || listed.contains(origin)
                || origin.replaceFirst("^https?://", "").equals(host);
        if (!named || !may) {
            throw RefusedException.forbidden(
                    "pages of this origin may not read here: list it in the gateway's origins");
        }
    }

    /** What a page of another origin needs to be told to read the answer. */
    Optional<String> toAllow(Headers headers) {
        return headers.first(HeaderNames.ORIGIN).filter(listed::contains);
    }

    private static boolean isLoopback(String host) {
        return LOOPBACK.contains(host.replaceFirst(":\\d+$", ""));
    }

    /** A proxy in front passes the name on that its visitors use. */
    private boolean isOrigin(String host) {
        return listed.contains("http://" + host) || listed.contains("https://" + host);
    }
}

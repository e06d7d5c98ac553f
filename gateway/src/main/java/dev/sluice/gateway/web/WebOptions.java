package dev.sluice.gateway.web;

import dev.sluice.grpc.ServerSecurity;
import dev.sluice.net.ListenAddress;
import dev.sluice.net.Protection;
import java.util.Set;

/**
 * How end users are served.
 *
 * @param security TLS. Its token is not asked of end users, and client certificates only where there is no other
 *     authenticator
 * @param origins of pages from elsewhere that may connect, such as {@code https://app.example.com}
 */
public record WebOptions(
        ListenAddress address,
        ServerSecurity security,
        Authenticator authenticator,
        Set<String> origins,
        WebLimits limits) {
    /** On loopback, for anybody there. */
    public static final WebOptions DEFAULT = new WebOptions(
            ListenAddress.loopback(8090), ServerSecurity.NONE, Authenticator.ANYBODY, Set.of(), WebLimits.DEFAULT);

    public WebOptions {
        origins = Set.copyOf(origins);
    }

    public WebOptions at(ListenAddress other) {
        return new WebOptions(other, security, authenticator, origins, limits);
    }

    public WebOptions securedBy(ServerSecurity tls) {
        return new WebOptions(address, tls, authenticator, origins, limits);
    }

    public WebOptions authenticatedBy(Authenticator who) {
        return new WebOptions(address, security, who, origins, limits);
    }

    public WebOptions forPagesOf(Set<String> pages) {
        return new WebOptions(address, security, authenticator, pages, limits);
    }

    public WebOptions within(WebLimits bounds) {
        return new WebOptions(address, security, authenticator, origins, bounds);
    }

    /** What of it concerns end users. */
    ServerSecurity tls() {
        return authenticator == Authenticator.ANYBODY
                ? security
                : new ServerSecurity(security.certificate(), security.key(), null, null, security.insecure());
    }

    Protection protection() {
        Protection listener = security.protection();
        return new Protection(
                listener.tls(),
                authenticator != Authenticator.ANYBODY || security.clientCa() != null,
                listener.insecure());
    }
}

/**
 * HTTP: one {@link dev.sluice.server.http.HttpListener} per port, with TLS and the token where they are configured, and
 * the small JSON of its answers. In: requests. Out: what the role behind it says. Depends on: config, net, dev.sluice.http
 * (bounds of request bodies), Helidon.
 */
@NullMarked
package dev.sluice.server.http;

import org.jspecify.annotations.NullMarked;

/**
 * The small server for end users: changes by WebSocket ({@code /v1/subscribe}) and server-sent events ({@code
 * /v1/events}), the browser client ({@code /sluice.js}) and a page to try them ({@code /try}). In: requests of browsers and
 * programs. Out: the events a {@link dev.sluice.gateway.Gateway} receives for them, each connection through a bounded queue of
 * its own. Start at {@link dev.sluice.gateway.web.GatewayServer}. Depends on: the gateway library, Helidon.
 */
@NullMarked
package dev.sluice.gateway.web;

import org.jspecify.annotations.NullMarked;

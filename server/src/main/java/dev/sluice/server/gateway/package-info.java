/**
 * Wiring of the gateway server for end users. In: the configuration. Out: a running server, its metrics and what it says of
 * itself. The server is dev.sluice.gateway.web.
 */
@NullMarked
package dev.sluice.server.gateway;

import org.jspecify.annotations.NullMarked;

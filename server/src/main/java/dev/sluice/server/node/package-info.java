/**
 * One process and its roles. In: the configuration and the roles it is to have. Out: all of them running, with one set of HTTP
 * ports and metrics, started and stopped in an order that loses nothing. The roles are wired in server.puller,
 * server.streamer, server.gateway, server.outbox and server.worker.
 */
@NullMarked
package dev.sluice.server.node;

import org.jspecify.annotations.NullMarked;

/**
 * The Streamer's HTTP faces. In: a batch for a gateway, or a request of one. Out: the gateway's outcome, or a change of
 * the registries. Here: HttpDeliverer (HTTP/2 by the JDK's client) and the control plane of subscriptions and gateways.
 * Depends on: core.
 */
@NullMarked
package dev.sluice.http;

import org.jspecify.annotations.NullMarked;

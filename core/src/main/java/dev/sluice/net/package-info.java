/**
 * The one place that decides whether a listening address is allowed: loopback freely, anything else only with
 * TLS and a credential, or an explicit insecure flag. Every server of Sluice obtains its socket or its
 * address here. Depends on: nothing.
 */
@NullMarked
package dev.sluice.net;

import org.jspecify.annotations.NullMarked;

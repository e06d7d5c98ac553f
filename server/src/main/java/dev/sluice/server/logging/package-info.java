/**
 * How a server's log reads: one line per event, with its keys and values. In: what components log through SLF4J. Out:
 * lines on standard error, without passwords. Depends on: config, Logback.
 */
@NullMarked
package dev.sluice.server.logging;

import org.jspecify.annotations.NullMarked;

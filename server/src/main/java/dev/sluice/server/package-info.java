/**
 * The process: reads the configuration, wires the stages, serves the admin API, and is the command line.
 * Depends on everything; nothing depends on it.
 */
@NullMarked
package dev.sluice.server;

import org.jspecify.annotations.NullMarked;

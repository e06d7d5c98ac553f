/**
 * The process: wires the stages of a role to each other (stream to match to route meet here, not in core),
 * serves health, metrics and the admin API, later the dashboard. The command line is in server.cli, the
 * configuration in server.config. Depends on everything but the testkit; nothing depends on it.
 */
@NullMarked
package dev.sluice.server;

import org.jspecify.annotations.NullMarked;

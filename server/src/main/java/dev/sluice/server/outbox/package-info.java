/**
 * The outbox as a role and for commands. In: the {@code outbox} section, or a JDBC URL. Out: a relay that runs, its health,
 * metrics and admin answers; tables made, migrated and counted. Depends on: the module outbox, config, http, cluster.
 */
@NullMarked
package dev.sluice.server.outbox;

import org.jspecify.annotations.NullMarked;

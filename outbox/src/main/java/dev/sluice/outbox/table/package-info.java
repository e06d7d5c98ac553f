/**
 * The outbox's tables in PostgreSQL, MariaDB and H2: schema and migrations, writing, fetching, finishing, dead rows. In: a
 * connection or a DataSource. Out: rows. Depends on: core's model, JDBC.
 */
@NullMarked
package dev.sluice.outbox.table;

import org.jspecify.annotations.NullMarked;

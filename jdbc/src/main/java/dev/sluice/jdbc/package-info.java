/**
 * Coordination over an SQL database. In: the application's DataSource (PostgreSQL, MariaDB, MySQL, H2). Out: a
 * CoordinationStore whose leases are rows of ShedLock's table, taken and extended through ShedLock with the database's
 * clock, and whose values are rows of {@code sluice_coordination}. A call flows JdbcCoordinationStore → Database (one
 * connection, bounded in time, tried again after a deadlock) → Values or LeaseRows. Depends on: core and ShedLock
 * without Spring; the application brings the driver and the pool.
 */
@NullMarked
package dev.sluice.jdbc;

import org.jspecify.annotations.NullMarked;

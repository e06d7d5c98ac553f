/**
 * Real servers for tests: PostgreSQL, Kafka, NATS, etcd and MariaDB, each its own process on a free loopback port.
 *
 * <p>In comes nothing but what Maven (see {@code server-artifacts.txt} in the pom), the PATH or Debian's packages offer;
 * out goes an address to connect to, and a {@link dev.sluice.testkit.servers.RealServer} to stop, kill and pause.
 * A server that cannot be had fails the test with one sentence; it never skips it. May depend on the JDK, xz, {@code
 * testkit.process} and, for
 * {@link dev.sluice.testkit.servers.KeepLogsOfFailedRuns}, the JUnit Platform; never on a server's client library.
 */
@NullMarked
package dev.sluice.testkit.servers;

import org.jspecify.annotations.NullMarked;

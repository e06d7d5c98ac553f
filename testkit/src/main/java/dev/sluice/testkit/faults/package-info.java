/**
 * A bad network on demand: {@link dev.sluice.testkit.faults.FaultProxy} stands in front of a real server's port and
 * delays, throttles, stalls, swallows, cuts or half-closes what passes, per direction, switched while the test runs.
 * {@link dev.sluice.testkit.faults.UnledKafka} refuses single produce requests in a Kafka broker's name.
 * In: TCP connections on loopback. Out: the same bytes in order, later, or not at all. Depends on: Kafka's protocol classes
 * ({@code UnledKafka} alone).
 */
@NullMarked
package dev.sluice.testkit.faults;

import org.jspecify.annotations.NullMarked;

/**
 * Kafka topics as a gateway. In: batches. Out: records keyed by document id, acknowledged by all replicas.
 * Depends on: core, kafka-clients.
 */
@NullMarked
package dev.sluice.kafka;

import org.jspecify.annotations.NullMarked;

/**
 * Kafka as the receiver of an outbox. In: rows of one partition, in order. Out: records, acknowledged by all replicas, and an
 * outcome per row; exactly once with transactions and a progress topic. Depends on: {@code relay}'s port, {@code table}'s
 * rows, kafka-clients.
 */
@NullMarked
package dev.sluice.outbox.kafka;

import org.jspecify.annotations.NullMarked;

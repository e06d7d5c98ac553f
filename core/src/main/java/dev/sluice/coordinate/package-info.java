/**
 * Who owns what. In: live members, a CoordinationStore (etcd, NATS KV, JDBC; adapters in those modules; in
 * memory here). Out: claims on partitions with fencing tokens, positions saved through them. Here:
 * membership, leader election, assignment, claims, handoff, partition checkpoints. Depends on: model.
 */
@NullMarked
package dev.sluice.coordinate;

import org.jspecify.annotations.NullMarked;

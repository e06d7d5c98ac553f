/**
 * One attempt at one gateway. In: a batch. Out: an outcome per event: delivered, retry later, rejected,
 * fenced. Here: the Deliverer port and its outcomes, free of any protocol, and what implementations share: the body and
 * the reply in JSON, attempts that end, events sent one by one. What a status code means is decided by the
 * implementation in the modules http, grpc, nats and kafka. Depends on: json, model.
 */
@NullMarked
package dev.sluice.deliver;

import org.jspecify.annotations.NullMarked;

/**
 * Source to log. In: a ChangeSource (a MongoDB change stream, an outbox table; the adapters live in the
 * modules mongodb and outbox). Out: change events appended to the event log together with the resume token
 * they came with. Here: the capture loop, back-off and circuit breaker, gap and stall handling, tenant
 * extraction. Depends on: model, log.
 */
@NullMarked
package dev.sluice.capture;

import org.jspecify.annotations.NullMarked;

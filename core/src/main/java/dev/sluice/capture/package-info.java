/**
 * Source to log. In: a ChangeSource (a MongoDB change stream, an outbox table; the adapters live in the
 * modules mongodb and outbox). Out: change events appended to the event log together with the resume token
 * they came with. Here: the capture loop, back-off and circuit breaker towards the source, gap and stall
 * handling, tenant extraction, the mirror of the checkpoint and what to do when ours is lost. Depends on:
 * model, checkpoint, log.
 */
@NullMarked
package dev.sluice.capture;

import org.jspecify.annotations.NullMarked;

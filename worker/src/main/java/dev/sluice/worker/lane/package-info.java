/**
 * One owned partition inside a worker: its queue, its handler calls, its cursor. In: deliveries. Out: handled messages, dead
 * letters, acknowledgements, a cursor. Depends on: {@code worker.stream}, {@code worker.cursor}, coordinate, model.
 */
@NullMarked
package dev.sluice.worker.lane;

import org.jspecify.annotations.NullMarked;

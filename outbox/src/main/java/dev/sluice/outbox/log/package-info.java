/**
 * The outbox as a backend of the Puller: its rows become change events in the event log. In: rows of the table, one claim on all
 * of them. Out: a {@link dev.sluice.capture.ChangeSource}; rows are deleted when the log has them on disk. Depends on: {@code
 * table}, {@code relay} (wake-ups), core's capture and coordination, jdbc.
 */
@NullMarked
package dev.sluice.outbox.log;

import org.jspecify.annotations.NullMarked;

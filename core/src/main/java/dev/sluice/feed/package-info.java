/**
 * Where the Streamer's events come from, as a port: the logs of a Puller in the same process, or of one elsewhere. Each
 * reader reads one stream, that is one partition of one log, in the log's order. Uses {@code model} only.
 */
@org.jspecify.annotations.NullMarked
package dev.sluice.feed;

/**
 * What a Java application embeds to receive events: connects, reconnects, keeps its place. In: the stream of
 * {@code sluice.puller.v1.PullerService}. Out: calls of the application's own code, at least once per event, in order,
 * and a progress marker that moves only behind them. Start at {@link dev.sluice.client.EventConsumer}. Depends on: model
 * and the generated messages.
 */
@NullMarked
package dev.sluice.client;

import org.jspecify.annotations.NullMarked;

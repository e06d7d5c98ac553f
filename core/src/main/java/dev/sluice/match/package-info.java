/**
 * Event to subscriptions. In: a change event. Out: its matches. Here: the filter language, its evaluation on
 * raw BSON, the subscription index. Depends on: model.
 */
@NullMarked
package dev.sluice.match;

import org.jspecify.annotations.NullMarked;

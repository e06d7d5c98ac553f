/**
 * MongoDB's aggregation language over documents in memory. In: expressions and pipeline stages as BSON, compiled
 * once. Out: functions on values and on streams of documents. Pure; knows no collections, so stages that read or
 * write one ({@code $lookup}, {@code $out}) are not here. This package and {@code query} use each other, because the
 * language does: {@code $match} holds a filter, {@code $expr} an expression.
 */
@NullMarked
package dev.sluice.devmongo.aggregate;

import org.jspecify.annotations.NullMarked;

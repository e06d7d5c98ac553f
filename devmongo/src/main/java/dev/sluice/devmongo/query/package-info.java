/**
 * Answers "does this document match, where does it sort, which part of it is wanted" as MongoDB does. In: filters,
 * sort orders and projections as BSON, compiled once. Out: predicates, comparators and functions on BSON documents,
 * without state, I/O or threads. May depend on {@code aggregate} for {@code $expr} and computed fields.
 */
@NullMarked
package dev.sluice.devmongo.query;

import org.jspecify.annotations.NullMarked;

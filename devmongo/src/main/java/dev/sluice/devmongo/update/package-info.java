/**
 * Turns a document into its successor as MongoDB's update command does, and says which fields that touched. In: an
 * update, replacement or pipeline, compiled once. Out: the new document and what a change event reports about it.
 * Pure; depends on {@code query} (positions, {@code $pull}) and {@code aggregate} (pipelines).
 */
@NullMarked
package dev.sluice.devmongo.update;

import org.jspecify.annotations.NullMarked;

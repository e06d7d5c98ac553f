/**
 * How far capture got, kept by us. In: a resume token with its cluster time, under a name. Out: the same, after a
 * restart or on another machine. Here: the CheckpointStore port, in memory and as local files; MongoDB's and etcd's
 * live in their modules. Depends on: model.
 */
@NullMarked
package dev.sluice.checkpoint;

import org.jspecify.annotations.NullMarked;

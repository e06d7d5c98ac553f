/**
 * etcd for Sluice. In: checkpoints to keep outside this machine, and what a cluster agrees on. Out: the same checkpoints
 * after its disk is lost; a CoordinationStore. Depends on: core and jetcd.
 */
@NullMarked
package dev.sluice.etcd;

import org.jspecify.annotations.NullMarked;

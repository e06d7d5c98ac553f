/**
 * etcd for Sluice. In: checkpoints to keep outside this machine. Out: the same checkpoints after its disk is lost.
 * Depends on: core and jetcd.
 */
@NullMarked
package dev.sluice.etcd;

import org.jspecify.annotations.NullMarked;

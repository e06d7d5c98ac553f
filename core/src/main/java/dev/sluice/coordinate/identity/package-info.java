/**
 * Who a member says it is, and whether to believe it. In: the bytes of member records, the holders of leases, the shared
 * secrets. Out: records that may be assigned partitions, or one sentence why not. No store, no thread: reading and
 * writing the records happens in {@code dev.sluice.coordinate}. Depends on: model, the key rules of coordinate.assign.
 */
@NullMarked
package dev.sluice.coordinate.identity;

import org.jspecify.annotations.NullMarked;

/**
 * What happened in a group, for whoever must explain it later. In: what membership, leader and claims report. Out:
 * structured log lines and a bounded list for the admin view. Depends on: model.
 */
@NullMarked
package dev.sluice.coordinate.audit;

import org.jspecify.annotations.NullMarked;

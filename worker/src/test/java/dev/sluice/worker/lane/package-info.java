/** Tests of lanes. */
@NullMarked
package dev.sluice.worker.lane;

import org.jspecify.annotations.NullMarked;

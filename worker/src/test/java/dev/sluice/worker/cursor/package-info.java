@NullMarked
package dev.sluice.worker.cursor;

import org.jspecify.annotations.NullMarked;

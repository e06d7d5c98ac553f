/** Tests of the view and the commands of operators. */
@NullMarked
package dev.sluice.worker.admin;

import org.jspecify.annotations.NullMarked;

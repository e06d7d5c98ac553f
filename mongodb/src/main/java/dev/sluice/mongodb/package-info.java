/**
 * MongoDB for Sluice. In: a database's change stream, as raw BSON. Out: event records and resume tokens for the
 * capture loop; checkpoints mirrored into a collection. Depends on: core and the official synchronous driver.
 */
@NullMarked
package dev.sluice.mongodb;

import org.jspecify.annotations.NullMarked;

/**
 * The embedded development server that speaks the MongoDB wire protocol to the official drivers. In: commands
 * over OP_MSG. Out: replies and change streams as a one-node replica set gives them. For development and
 * tests, bound to loopback, not a database.
 */
@NullMarked
package dev.sluice.devmongo;

import org.jspecify.annotations.NullMarked;

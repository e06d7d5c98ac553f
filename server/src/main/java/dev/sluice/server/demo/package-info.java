/**
 * {@code sluice demo}: the pipeline on embedded defaults with something to see. In: nothing but a directory. Out: a dev
 * MongoDB, a shop that writes to it, a till that writes to an outbox on H2, a Puller, a consumer, and one line per second of what flows. Depends on: the other
 * packages of server, the client, and at run time devmongo.
 */
@NullMarked
package dev.sluice.server.demo;

import org.jspecify.annotations.NullMarked;

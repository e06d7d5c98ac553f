/**
 * What survives a crash of a partition: its saved position, as its claim keeps it, and the text of that. In: what {@link
 * dev.sluice.route} knows of its groups. Depends on: model, lane (the keys of groups), subscribe (homes), coordinate (how long a
 * position may be).
 */
@NullMarked
package dev.sluice.saved;

import org.jspecify.annotations.NullMarked;

/**
 * JSON text as UTF-8 bytes. In: raw BSON, strings, numbers. Out: a byte array, written without characters or strings in
 * between. Depends on: the bson library only; every other package may depend on it.
 */
@NullMarked
package dev.sluice.json;

import org.jspecify.annotations.NullMarked;

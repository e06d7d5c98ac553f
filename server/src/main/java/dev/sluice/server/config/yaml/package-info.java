/**
 * YAML text into records. In: a file's text and the environment. Out: one record tree, or every problem at once,
 * each with its line and key. Knows nothing of Sluice's settings: what keys exist, their defaults and their
 * meaning is said by the records themselves ({@link dev.sluice.server.config.yaml.Setting}). Depends on:
 * snakeyaml-engine and {@code dev.sluice.net}.
 */
@NullMarked
package dev.sluice.server.config.yaml;

import org.jspecify.annotations.NullMarked;

/**
 * The configuration. In: a YAML file and the environment. Out: one small record per component, validated, or
 * every problem with its line before anything starts ({@link dev.sluice.server.config.ConfigFile}). Components get
 * their own record, never the whole. A key is a record component; its default and meaning stand in
 * {@code @Setting} there, and {@code docs/configuration.md} is checked against it. Depends on: {@code dev.sluice.net}, the MongoDB driver to read its connection strings,
 * {@code dev.sluice.worker} for its rule of names.
 */
@NullMarked
package dev.sluice.server.config;

import org.jspecify.annotations.NullMarked;

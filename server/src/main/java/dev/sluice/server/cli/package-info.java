/**
 * The command line: one class per command, each of which reads its options, calls one thing, and prints. In: arguments
 * and the environment. Out: text on the two given writers and an exit code ({@link dev.sluice.server.cli.ExitCode}).
 * Depends on: picocli and the rest of {@code dev.sluice.server}.
 */
@NullMarked
package dev.sluice.server.cli;

import org.jspecify.annotations.NullMarked;

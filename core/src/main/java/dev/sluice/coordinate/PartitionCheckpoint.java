package dev.sluice.coordinate;

import dev.sluice.model.FencingToken;

/**
 * How far the users of one partition got.
 *
 * @param token of the last claim; (generation, 0) when there never was one
 * @param position the user's text; empty when nothing was ever saved
 * @param owner the member that holds the claim, live or dead; empty when it was released
 */
public record PartitionCheckpoint(int partition, FencingToken token, String position, String owner) {}

package dev.sluice.log;

import java.util.List;

/**
 * What one eviction is going to take out: the events behind {@code before}, up to and with {@code reached}.
 *
 * @param segments that go with them
 * @param birth of the log, which it loses with its first eviction; 0 when that has been
 */
public record EvictDecision(LogPoint before, LogPoint reached, List<Segment> segments, long birth) {}

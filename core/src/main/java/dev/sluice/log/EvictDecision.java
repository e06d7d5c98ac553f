package dev.sluice.log;

import java.util.List;

/**
 * What one eviction is going to take out: the events behind {@code before}, up to and with {@code reached}.
 *
 * @param segments that go with them
 */
public record EvictDecision(LogPoint before, LogPoint reached, List<Segment> segments) {}

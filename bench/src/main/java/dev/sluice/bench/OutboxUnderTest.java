package dev.sluice.bench;

import java.util.List;

/**
 * An outbox library in a process of its own, steered by {@link OutboxProcess}. It has a constructor that takes
 * {@link OutboxSettings}.
 */
public interface OutboxUnderTest {
    /** Makes its tables in an empty database. */
    void createTables() throws Exception;

    /** Writes messages number 0 to {@code count - 1} of {@link OutboxLoad}, in order, as an application would. */
    void write(int count) throws Exception;

    /** Where its messages stand. */
    String table();

    /** The column by which they are in order. */
    String order();

    /** Columns that the database fills when rows are written again. */
    default List<String> generated() {
        return List.of();
    }

    /** Starts sending, and returns when it is ready. */
    void start() throws Exception;

    /** There is something to send: for those that can be told. */
    default void wakeUp() {}

    /** How many messages were acknowledged by the broker since it was started. */
    long sent();

    /** Ends sending; it may be started again. */
    void stop() throws Exception;
}

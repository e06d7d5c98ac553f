package dev.sluice.testkit.faults;

/** Which way bytes go through a {@link FaultProxy}. */
public enum Direction {
    /** From the client that connected to the server behind the proxy. */
    TO_TARGET,
    /** From the server behind the proxy back to the client. */
    TO_CLIENT
}

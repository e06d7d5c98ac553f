package dev.sluice.devmongo.wire;

/** Answers requests; called on the connection's own thread, which it may block. */
@FunctionalInterface
public interface Dispatcher {
    /** @throws ConnectionDropped to close the connection without an answer */
    Reply dispatch(Request request, Connection connection) throws InterruptedException;

    /** Thrown where a script or a shutdown wants the client to see its connection close. */
    final class ConnectionDropped extends RuntimeException {
        public ConnectionDropped() {
            super("The connection is closed on purpose.", null, false, false);
        }
    }
}

package dev.sluice.server;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a start has opened so far. Unless it is kept, closing it closes everything in reverse order, so a start that fails
 * at whatever point leaves nothing behind.
 */
public final class Opened implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Opened.class);

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    public <T extends AutoCloseable> T add(T part) {
        parts.push(part);
        return part;
    }

    /** The start succeeded: whoever started closes the parts from now on. */
    public void keep() {
        parts.clear();
    }

    @Override
    public void close() {
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (Exception failed) {
                LOG.warn("could not be closed after a failed start", failed);
            }
        }
    }
}

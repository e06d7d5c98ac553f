package dev.sluice.devmongo.wire;

import java.io.IOException;

/** Bytes that are no MongoDB message; the connection they came on is closed. */
public final class MalformedFrame extends IOException {
    public MalformedFrame(String message) {
        super(message);
    }
}

package dev.sluice.gateway;

import dev.sluice.model.InvalidInputException;
import dev.sluice.model.ProgressMarker;
import java.util.Optional;

/**
 * Where an end user goes on: a progress marker, and the streams in which the user has got further. Its text is opaque to whoever
 * keeps it; the text of a plain marker is one, too.
 */
public final class ResumeId {
    /** From now on. */
    public static final ResumeId NONE = new ResumeId(Optional.empty(), new Exceptions());

    private final Optional<ProgressMarker> marker;
    private final Exceptions exceptions;

    private ResumeId(Optional<ProgressMarker> marker, Exceptions exceptions) {
        this.marker = marker;
        this.exceptions = exceptions;
    }

    /**
     * Reads the text that a client kept; empty: from now on.
     *
     * @throws InvalidInputException saying what is wrong with it, for text of any kind
     */
    public static ResumeId parse(String text) {
        return text.isEmpty()
                ? NONE
                : new ResumeId(
                        Optional.of(ProgressMarker.decode(text.substring(0, Exceptions.start(text)))),
                        Exceptions.parse(text));
    }

    /** What the Streamer is asked to start behind. */
    public Optional<ProgressMarker> marker() {
        return marker;
    }

    /** Streams in which the user has got further than the marker. */
    Exceptions exceptions() {
        return exceptions.copy();
    }
}

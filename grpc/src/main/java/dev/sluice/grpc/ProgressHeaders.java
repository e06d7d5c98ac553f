package dev.sluice.grpc;

import io.grpc.Metadata;

/** Where markers stand in the metadata of a call, for consumers that get no event to find them in. */
public final class ProgressHeaders {
    /** Initial metadata: the marker the stream starts after. Trailing metadata: the marker behind all it has sent. */
    public static final Metadata.Key<String> PROGRESS =
            Metadata.Key.of("sluice-progress", Metadata.ASCII_STRING_MARSHALLER);

    /** Trailing metadata of OUT_OF_RANGE: the oldest marker that works. */
    public static final Metadata.Key<String> OLDEST_PROGRESS =
            Metadata.Key.of("sluice-oldest-progress", Metadata.ASCII_STRING_MARSHALLER);

    /** Trailing metadata of OUT_OF_RANGE in a stream of one log: the position behind which everything is kept. */
    public static final Metadata.Key<String> OLDEST_POSITION =
            Metadata.Key.of("sluice-oldest-position", Metadata.ASCII_STRING_MARSHALLER);

    /** Trailing metadata of FAILED_PRECONDITION: the identity that the log has, in hexadecimal. */
    public static final Metadata.Key<String> LOG_IDENTITY =
            Metadata.Key.of("sluice-log-identity", Metadata.ASCII_STRING_MARSHALLER);

    private static final int LONGEST = 2048;

    private ProgressHeaders() {}

    /** Markers of very many backends are left out: clients end a call whose metadata is larger than 8 KiB. */
    static Metadata with(Metadata.Key<String> key, String marker) {
        Metadata metadata = new Metadata();
        if (marker.length() <= LONGEST) {
            metadata.put(key, marker);
        }
        return metadata;
    }
}

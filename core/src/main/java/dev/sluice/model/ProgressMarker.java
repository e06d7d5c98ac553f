package dev.sluice.model;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How far a consumer has read, in every backend. Consumers keep its text and hand it back; it is opaque to them. The
 * text is base64url without padding of <code>{"p":{"backend":"event id"}}</code>.
 *
 * @param positions the last event handled, by backend
 */
public record ProgressMarker(SortedMap<String, EventId> positions) {
    /** Far above what a marker of a thousand backends needs; the bound on what a stranger can make us parse. */
    static final int MAX_LENGTH = 256 * 1024;

    public static final ProgressMarker NOWHERE = new ProgressMarker(Map.of());

    public ProgressMarker {
        positions.keySet().forEach(BackendName::check);
        positions = Collections.unmodifiableSortedMap(new TreeMap<>(positions));
    }

    public ProgressMarker(Map<String, EventId> positions) {
        this(new TreeMap<>(positions));
    }

    public Optional<EventId> position(String backend) {
        @Nullable EventId position = positions.get(backend);
        return Optional.ofNullable(position);
    }

    /** This marker with one backend moved. */
    public ProgressMarker with(String backend, EventId position) {
        TreeMap<String, EventId> moved = new TreeMap<>(positions);
        moved.put(backend, position);
        return new ProgressMarker(moved);
    }

    public String encode() {
        StringBuilder json = new StringBuilder(16 + positions.size() * 64).append("{\"p\":{");
        String separator = "\"";
        for (Map.Entry<String, EventId> position : positions.entrySet()) {
            json.append(separator).append(position.getKey());
            json.append("\":\"").append(position.getValue()).append('"');
            separator = ",\"";
        }
        byte[] bytes = json.append("}}").toString().getBytes(StandardCharsets.US_ASCII);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /**
     * Reads a consumer's marker.
     *
     * @throws InvalidInputException saying what is wrong with it, for text of any kind
     */
    public static ProgressMarker decode(String text) {
        if (text.length() > MAX_LENGTH) {
            throw new InvalidInputException("progress marker of " + text.length() + " characters is longer than "
                    + MAX_LENGTH + "; pass one exactly as it was received");
        }
        return new ProgressMarker(new MarkerJson(fromBase64(text), text).positions());
    }

    private static String fromBase64(String text) {
        try {
            return new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException notBase64) {
            throw MarkerJson.bad(text, "it is not base64url");
        }
    }

    @Override
    public String toString() {
        return positions.toString();
    }
}

package dev.sluice.coordinate.identity;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Where a member is in its life. Only a ready member is assigned partitions; a leaving one hands over those it has. */
public enum MemberState {
    JOINING,
    READY,
    LEAVING;

    /** As it is stored: {@code joining}, {@code ready}, {@code leaving}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    static @Nullable MemberState parse(String text) {
        for (MemberState state : values()) {
            if (state.text().equals(text)) {
                return state;
            }
        }
        return null;
    }
}

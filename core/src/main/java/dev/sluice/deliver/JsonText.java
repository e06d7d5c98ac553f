package dev.sluice.deliver;

import dev.sluice.json.JsonBuffer;
import java.nio.charset.StandardCharsets;

/** Writes texts into JSON. */
public final class JsonText {
    private JsonText() {}

    /** Appends the text in quotes, as {@link JsonBuffer#quote} writes it. */
    public static void quote(CharSequence text, StringBuilder into) {
        JsonBuffer quoted = new JsonBuffer(text.length() + 2);
        quoted.quote(text.toString());
        into.append(new String(quoted.toByteArray(), StandardCharsets.UTF_8));
    }
}

package dev.sluice.bench;

import java.nio.charset.StandardCharsets;
import java.util.function.LongConsumer;

/** Finds the source's times in a delivery's body without parsing the documents around them. */
final class TimestampScan {
    private static final byte[] KEY = "\"timestamp\":".getBytes(StandardCharsets.US_ASCII);

    private TimestampScan() {}

    static void scan(byte[] body, LongConsumer times) {
        int k = 0;
        while (k <= body.length - KEY.length) {
            if (body[k] != '"' || !isKeyAt(body, k)) {
                k++;
                continue;
            }
            k += KEY.length;
            long time = 0;
            while (k < body.length && body[k] >= '0' && body[k] <= '9') {
                time = time * 10 + body[k++] - '0';
            }
            times.accept(time);
        }
    }

    private static boolean isKeyAt(byte[] body, int at) {
        for (int k = 0; k < KEY.length; k++) {
            if (body[at + k] != KEY[k]) {
                return false;
            }
        }
        return true;
    }
}

package dev.sluice.bench;

/** The messages of the outbox benchmarks: 200 bytes of text that begin with their number, spread over 5,000 keys. */
public final class OutboxLoad {
    public static final int KEYS = 5_000;
    public static final int BYTES = 200;

    private static final int NUMBER_DIGITS = 10;
    private static final int STRIDE = 761; // coprime to KEYS: neighbours have different keys, each key its equal share
    private static final String FILL = "x".repeat(BYTES - NUMBER_DIGITS);

    private OutboxLoad() {}

    public static String key(long number) {
        return "key-" + number * STRIDE % KEYS;
    }

    public static String payload(long number) {
        String digits = Long.toString(number);
        return "0".repeat(NUMBER_DIGITS - digits.length()) + digits + FILL;
    }

    /** The number of the message with this payload, as it came out of Kafka; a library may have put it in quotes. */
    static long number(byte[] payload) {
        int at = payload[0] == '"' ? 1 : 0;
        long number = 0;
        for (int k = at; k < at + NUMBER_DIGITS; k++) {
            number = number * 10 + payload[k] - '0';
        }
        return number;
    }
}

package dev.sluice.worker.stream;

/**
 * The subject that a delivery is acknowledged on, which also says what was delivered: {@code
 * $JS.ACK.<stream>.<consumer>.<deliveries>.<stream sequence>.<consumer sequence>.<nanoseconds>.<pending>}, or with a domain
 * and an account before the stream, and a random token at the end.
 */
record AckSubject(
        String subject,
        long deliveryCount,
        long streamSequence,
        long consumerSequence,
        long storedNanos,
        long pending) {
    private static final String PREFIX = "$JS.ACK.";
    private static final int SHORT_FORM_DOTS = 8;
    private static final int LONG_FORM_DOTS = 10;

    /** @throws IllegalArgumentException when it is none */
    static AckSubject parse(String subject) {
        int dots = 0;
        for (int at = 0; at < subject.length(); at++) {
            dots += subject.charAt(at) == '.' ? 1 : 0;
        }
        if (!subject.startsWith(PREFIX) || (dots != SHORT_FORM_DOTS && dots < LONG_FORM_DOTS)) {
            throw new IllegalArgumentException("not the subject of an acknowledgement: " + subject);
        }
        int at = afterDots(subject, dots == SHORT_FORM_DOTS ? 4 : 6);
        long[] numbers = new long[5];
        for (int index = 0; index < numbers.length; index++) {
            int end = subject.indexOf('.', at);
            int stop = end < 0 ? subject.length() : end;
            numbers[index] = Long.parseLong(subject, at, stop, 10);
            at = stop + 1;
        }
        return new AckSubject(subject, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]);
    }

    private static int afterDots(String subject, int dots) {
        int at = 0;
        for (int dot = 0; dot < dots; dot++) {
            at = subject.indexOf('.', at) + 1;
        }
        return at;
    }
}

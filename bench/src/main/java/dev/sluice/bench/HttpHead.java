package dev.sluice.bench;

/** Reads the head of an HTTP answer. For one thread. */
final class HttpHead {
    private static final int LONGEST = 8 << 10;
    private static final String END = "\r\n\r\n";

    private final String status;
    private final StringBuilder text = new StringBuilder();
    private boolean complete;

    /** @param status the only one that is accepted, such as {@code 200} */
    HttpHead(String status) {
        this.status = status;
    }

    boolean isComplete() {
        return complete;
    }

    /**
     * Takes bytes up to the end of the head. Returns how many of them belong to it.
     *
     * @throws IllegalStateException when the answer has another status
     */
    int read(byte[] bytes, int length) {
        int at = 0;
        while (at < length && !complete) {
            text.append((char) bytes[at++]);
            complete = text.length() >= END.length() && text.indexOf(END, text.length() - END.length()) >= 0;
        }
        if (complete && !text.toString().startsWith("HTTP/1.1 " + status) || text.length() > LONGEST) {
            throw new IllegalStateException("the server answers " + text);
        }
        return at;
    }

    boolean isChunked() {
        return text.toString().toLowerCase(java.util.Locale.ROOT).contains("transfer-encoding: chunked");
    }
}

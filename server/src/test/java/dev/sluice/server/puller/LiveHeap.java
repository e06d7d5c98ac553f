package dev.sluice.server.puller;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** What another JVM's heap holds after a full collection. */
final class LiveHeap {
    private static final Pattern TOTAL = Pattern.compile("(?m)^Total\\s+\\d+\\s+(\\d+)");

    private LiveHeap() {}

    /** Counting the live objects collects the others first. */
    static long of(long pid) throws IOException {
        var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        var process = new ProcessBuilder(jcmd, Long.toString(pid), "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        var total = TOTAL.matcher(text);
        if (!total.find()) {
            throw new IOException("jcmd did not count the heap of process " + pid + ": " + text);
        }
        return Long.parseLong(total.group(1));
    }
}

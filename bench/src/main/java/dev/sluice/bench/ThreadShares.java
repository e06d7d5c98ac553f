package dev.sluice.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * What a partition's thread spends its CPU time on: samples of its stack by Flight Recorder's CPU-time sampler, each put down to
 * the innermost step it lies in.
 */
final class ThreadShares {
    private static final String EVENT = "jdk.CPUTimeSample";
    private static final int LISTED = 8;

    /** The steps of a partition's thread, as issue 14 divides them. */
    enum Part {
        READING,
        MATCHING,
        HANDING_OVER,
        /** Working out how far a gateway has got, for a batch that is handed over. */
        MARKERS,
        /** Counting acknowledgements. */
        SETTLING,
        OTHER
    }

    private static final Set<String> MARKERS = Set.of("GatewayMarkers", "PositionNow");

    private static final Map<String, Part> STEPS = Map.of(
            "PartitionStream.readTail", Part.READING,
            "PartitionStream.readBehind", Part.READING,
            "RecentEvents.after", Part.READING,
            "Gathering.gather", Part.MATCHING,
            "Offering.atTail", Part.HANDING_OVER,
            "Offering.behind", Part.HANDING_OVER,
            "Lane.pump", Part.HANDING_OVER,
            "Offering.takeFilled", Part.HANDING_OVER,
            "ArrivedHandler.settle", Part.SETTLING);

    private final Map<Part, Integer> samples = new EnumMap<>(Part.class);
    private final Map<String, Integer> outside = new HashMap<>();

    /** Records until closed. */
    static Recording start() {
        Recording recording = new Recording();
        recording.enable(EVENT).with("throttle", "2ms").withStackTrace();
        recording.start();
        return recording;
    }

    /** Stops the recording and reads it. */
    static ThreadShares of(Recording recording, String thread) throws IOException {
        ThreadShares shares = new ThreadShares();
        Path file = Files.createTempFile("sluice-bench", ".jfr");
        try (recording) {
            recording.stop();
            recording.dump(file);
            try (RecordingFile events = new RecordingFile(file)) {
                while (events.hasMoreEvents()) {
                    shares.add(events.readEvent(), thread);
                }
            }
        } finally {
            Files.delete(file);
        }
        return shares;
    }

    private void add(RecordedEvent event, String thread) {
        if (event.getEventType().getName().equals(EVENT)
                && event.getValue("eventThread") instanceof RecordedThread sampled
                && thread.equals(sampled.getJavaName())
                && event.getStackTrace() != null) {
            add(event.getStackTrace().getFrames());
        }
    }

    private void add(List<RecordedFrame> frames) {
        String topmost = "";
        for (RecordedFrame frame : frames) {
            String type = frame.getMethod().getType().getName();
            // A lambda's own frame names no method of ours: its body, or its caller, does.
            if (type.startsWith("dev.sluice.") && !type.contains("$$Lambda")) {
                String simple = type.substring(type.lastIndexOf('.') + 1).replaceAll("[$].*", "");
                String method = simple + "." + frame.getMethod().getName().replaceAll("^lambda[$]([^$]*)[$].*", "$1");
                topmost = topmost.isEmpty() ? method : topmost;
                Part part = MARKERS.contains(simple) ? Part.MARKERS : STEPS.get(method);
                if (part != null) {
                    count(part, topmost);
                    return;
                }
            }
        }
        count(Part.OTHER, topmost.isEmpty() ? "the JVM" : topmost);
    }

    private void count(Part part, String topmost) {
        samples.merge(part, 1, Integer::sum);
        if (isOutside(part)) {
            outside.merge(topmost, 1, Integer::sum);
        }
    }

    /** Whether a part counts as outside: it is neither reading, nor matching, nor handing over. */
    static boolean isOutside(Part part) {
        return switch (part) {
            case READING, MATCHING, HANDING_OVER -> false;
            case MARKERS, SETTLING, OTHER -> true;
        };
    }

    /** In percent. */
    double outside() {
        return Arrays.stream(Part.values())
                .filter(ThreadShares::isOutside)
                .mapToDouble(this::share)
                .sum();
    }

    int samples() {
        return samples.values().stream().mapToInt(each -> each).sum();
    }

    /** In percent. */
    double share(Part part) {
        return 100.0 * samples.getOrDefault(part, 0) / Math.max(1, samples());
    }

    /** The methods outside reading, matching and handing over that cost most, with their share of the whole. */
    String costliest() {
        StringBuilder text = new StringBuilder();
        outside.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder()))
                .limit(LISTED)
                .forEach(each -> text.append(text.isEmpty() ? "" : ", ")
                        .append("%s %.1f".formatted(each.getKey(), 100.0 * each.getValue() / samples())));
        return text.toString();
    }
}

package dev.sluice.bench;

import java.lang.management.ManagementFactory;
import java.util.Locale;

/**
 * The main class of workers under test. Commands: {@code start RUN}, {@code begin PHASE MESSAGES LATENCY_FROM}, {@code
 * count}, {@code cpu}, {@code figures}, {@code heap}, {@code stop}.
 */
public final class WorkerProcess {
    private static final com.sun.management.OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);

    private final HandledMessages handled = new HandledMessages();
    private final WorkersUnderTest subject;

    /**
     * @param kind {@code bare}, {@code bare-per-partition} or {@code sluice}
     * @param batch messages of a bare loop's pull request
     */
    record Settings(String kind, String url, WorkerShape shape, int workers, int batch) {
        static Settings parse(String[] words) {
            return new Settings(
                    words[0],
                    words[1],
                    WorkerShape.parse(words[2]),
                    Integer.parseInt(words[3]),
                    Integer.parseInt(words[4]));
        }

        boolean perPartition() {
            return kind.endsWith("-per-partition");
        }
    }

    private WorkerProcess(Settings settings) {
        this.subject = settings.kind.startsWith("bare")
                ? new BareWorkers(settings, handled)
                : new SluiceWorkers(settings, handled);
    }

    public static void main(String[] args) throws Exception {
        CommandLoop.run(() -> new WorkerProcess(Settings.parse(args))::answer);
    }

    private String answer(String[] words) throws Exception {
        switch (words[0]) {
            case "start" -> subject.start(words[1]);
            case "begin" ->
                handled.begin(Integer.parseInt(words[1]), Integer.parseInt(words[2]), Long.parseLong(words[3]));
            case "stop" -> subject.stop();
            case "count" -> {
                return String.valueOf(handled.count());
            }
            case "cpu" -> {
                return handled.count() + " " + SYSTEM.getProcessCpuTime();
            }
            case "figures" -> {
                return "%d %d %d %d %d"
                        .formatted(
                                handled.repeats(),
                                handled.spanMicros(),
                                handled.quantile(0.5),
                                handled.quantile(0.99),
                                handled.quantile(1));
            }
            case "heap" -> {
                System.gc();
                Runtime runtime = Runtime.getRuntime();
                return String.format(Locale.ROOT, "%d", runtime.totalMemory() - runtime.freeMemory());
            }
            default -> throw new IllegalArgumentException("there is no command " + words[0]);
        }
        return "";
    }
}

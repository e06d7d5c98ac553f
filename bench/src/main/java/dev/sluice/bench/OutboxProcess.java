package dev.sluice.bench;

import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * The main class of an outbox under test: reads commands, does each, and answers {@code ok} and the CPU time of this
 * process so far, in nanoseconds. Commands: {@code write N}, {@code fill N}, {@code start}, {@code await N}
 * (sent by this process), {@code drained} (by whomever), {@code wake}, {@code stop}, {@code clear}, {@code cpu}.
 */
public final class OutboxProcess {
    private static final com.sun.management.OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);
    private static final long PATIENCE_NANOS = 90_000_000_000L;

    private final OutboxUnderTest subject;
    private final OutboxRows rows;

    private OutboxProcess(OutboxUnderTest subject, OutboxRows rows) {
        this.subject = subject;
        this.rows = rows;
    }

    /** @param args the class of the outbox, then its settings */
    public static void main(String[] args) throws Exception {
        CommandLoop.run(() -> {
            OutboxSettings settings = OutboxSettings.parse(List.of(args).subList(1, args.length));
            OutboxUnderTest subject = (OutboxUnderTest)
                    Class.forName(args[0]).getConstructor(OutboxSettings.class).newInstance(settings);
            return new OutboxProcess(subject, new OutboxRows(subject, settings.jdbc()))::answer;
        });
    }

    private String answer(String[] words) throws Exception {
        switch (words[0]) {
            case "write" -> rows.write(Integer.parseInt(words[1]));
            case "fill" -> rows.fill(Integer.parseInt(words[1]));
            case "clear" -> rows.clear();
            case "start" -> subject.start();
            case "await" -> await(Long.parseLong(words[1]));
            case "stop" -> subject.stop();
            case "wake" -> subject.wakeUp();
            case "drained" -> rows.awaitEmpty();
            case "cpu" -> {}
            default -> throw new IllegalArgumentException("there is no command " + words[0]);
        }
        return String.valueOf(SYSTEM.getProcessCpuTime());
    }

    private void await(long count) throws InterruptedException {
        subject.wakeUp();
        long patience = System.nanoTime() + PATIENCE_NANOS;
        while (subject.sent() < count) {
            if (System.nanoTime() > patience) {
                throw new IllegalStateException("only " + subject.sent() + " of " + count + " messages were sent");
            }
            Thread.sleep(5);
        }
    }
}

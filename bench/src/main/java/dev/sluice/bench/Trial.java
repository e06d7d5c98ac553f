package dev.sluice.bench;

import java.util.function.Consumer;

/**
 * A benchmark that is no comparison in rounds of equal work: it runs as a whole.
 *
 * @param details what {@code --help} shows besides the description; may be empty
 */
record Trial(String name, String description, String details, Run run) {
    Trial(String name, String description, Run run) {
        this(name, description, "", run);
    }

    /** How it is done. */
    interface Run {
        Verdict run(Length length, Consumer<String> progress) throws Exception;
    }

    /** @param seconds how long to measure; 0 for the benchmark's own choice */
    record Length(boolean quick, int seconds) {
        int secondsOr(int usual, int quickly) {
            return seconds > 0 ? seconds : quick ? quickly : usual;
        }
    }
}

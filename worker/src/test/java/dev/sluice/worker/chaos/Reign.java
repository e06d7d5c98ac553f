package dev.sluice.worker.chaos;

import dev.sluice.model.FencingToken;
import java.util.Arrays;

/** The accepted handlings of one partition under one fencing token, in the order in which they came. */
final class Reign {
    final FencingToken token;
    final String process;
    private long[] numbers = new long[64];
    private long[] times = new long[64];
    private int size;

    Reign(FencingToken token, String process) {
        this.token = token;
        this.process = process;
    }

    void add(long number, long time) {
        if (size == numbers.length) {
            numbers = Arrays.copyOf(numbers, 2 * size);
            times = Arrays.copyOf(times, 2 * size);
        }
        numbers[size] = number;
        times[size] = time;
        size++;
    }

    int size() {
        return size;
    }

    long number(int index) {
        return numbers[index];
    }

    long time(int index) {
        return times[index];
    }

    /** The number of the last handling; 0 when there is none. */
    long last() {
        return size == 0 ? 0 : numbers[size - 1];
    }

    /** When the last handling came; only for a reign that has one. */
    long lastTime() {
        return times[size - 1];
    }

    @Override
    public String toString() {
        return process + " under " + token;
    }
}

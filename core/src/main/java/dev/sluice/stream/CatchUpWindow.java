package dev.sluice.stream;

import dev.sluice.log.EventRecord;
import dev.sluice.log.LogPoint;
import dev.sluice.log.LogPosition;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.Operation;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of one backend's backlog, of which only the last event of each document is sent. First all of it is added,
 * which keeps one bit per event and one number per document, no documents; then it is read again where bits are set. The
 * numbers are let go of before anything is sent, so a consumer that stands still in the middle holds the bits alone, some
 * hundred kilobytes at most. All of it is taken from a {@link WindowBudget}, and {@link #close} gives it back.
 *
 * <p>Rules: what a document went through becomes its last event, a delete also when the document was inserted within the
 * window (the consumer may have seen the insert before). An update without a document cannot stand for what came before
 * it: it is sent as it is, and so is the event before it. A control event ends the window; if it comes first, it is the
 * window.
 */
final class CatchUpWindow implements AutoCloseable {
    /** How many events one remembered position stands for: reading again skips in such strides. */
    static final int STRIDE = 256;

    /** The bits of so many, and where their strides begin, take about 350 KiB. */
    private static final int MOST_EVENTS = 2 << 20;

    private static final int UNKNOWN = -1;

    private final LogPosition until;
    private final WindowBudget budget;
    private long held;
    private final BitSet live = new BitSet();
    private @Nullable DocumentTable last = new DocumentTable();
    private long[] strideTimes = new long[64];
    private int[] strideOrdinals = new int[64];
    private final LogPoint start;
    private LogPosition end;
    private @Nullable EventRecord endEvent;
    private int size;
    private boolean full;

    private CatchUpWindow(LogPoint start, LogPosition until, WindowBudget budget) {
        this.start = start;
        this.end = start.position();
        this.until = until;
        this.budget = budget;
    }

    /**
     * A window; null when there is no memory for one now.
     *
     * @param start behind which the window begins
     * @param until the committed head when it was opened: the window never goes beyond
     */
    static @Nullable CatchUpWindow open(LogPoint start, LogPosition until, WindowBudget budget) {
        CatchUpWindow window = new CatchUpWindow(start, until, budget);
        return window.covered() ? window : null;
    }

    /** Takes in the next event of the log; false if it is not part of this window, which is complete then. */
    boolean add(LogPosition position, EventRecord event, boolean wanted) {
        if (full || position.compareTo(until) > 0) {
            return false;
        }
        Operation operation = event.operation();
        if (wanted && operation.isControl() && size > 0) {
            full = true;
            return false;
        }
        if (size % STRIDE == 0) {
            rememberStride();
        }
        if (wanted) {
            keep(event, operation);
        }
        end = position;
        endEvent = event;
        size++;
        full = (wanted && operation.isControl()) || !covered() || size == MOST_EVENTS;
        return true;
    }

    private void keep(EventRecord event, Operation operation) {
        live.set(size);
        if (operation.isControl()) {
            return;
        }
        boolean partial = operation == Operation.UPDATE && event.document() == null;
        int before = table().put(event, partial ? UNKNOWN : size);
        if (before != UNKNOWN && !partial) {
            live.clear(before);
        }
    }

    /** The place before the event that is about to be added. */
    private void rememberStride() {
        int stride = size / STRIDE;
        if (stride == strideTimes.length) {
            strideTimes = Arrays.copyOf(strideTimes, stride * 2);
            strideOrdinals = Arrays.copyOf(strideOrdinals, stride * 2);
        }
        strideTimes[stride] = end.time().value();
        strideOrdinals[stride] = end.ordinal();
    }

    /** Nothing more fits, or everything that was there when it was opened is in it. */
    boolean complete() {
        return full || end.compareTo(until) >= 0;
    }

    /** Its last event, or where it began if there is none. */
    LogPoint end() {
        return endEvent == null ? start : new LogPoint(end, endEvent.id());
    }

    int size() {
        return size;
    }

    /** All is added: from here on only the bits are needed. */
    void finish() {
        last = null;
        long needed = bytes();
        budget.give(held - needed);
        held = needed;
    }

    private DocumentTable table() {
        return Objects.requireNonNull(last, "nothing is added to a finished window");
    }

    boolean isLive(int number) {
        return live.get(number);
    }

    /** The next event to send, from this number on; -1 if there is none. */
    int nextLive(int number) {
        return live.nextSetBit(number);
    }

    /** The number of the event that directly follows {@link #strideBefore}. */
    static int strideStart(int number) {
        return number / STRIDE * STRIDE;
    }

    LogPosition strideBefore(int number) {
        int stride = number / STRIDE;
        return new LogPosition(new ClusterTime(strideTimes[stride]), strideOrdinals[stride]);
    }

    /** Arrays grow by doubling: a window holds a claim to twice what it takes, so that adding one event is covered. */
    private boolean covered() {
        long more = 2 * bytes() - held;
        if (more <= 0) {
            return true;
        }
        boolean granted = budget.take(held, more);
        held += granted ? more : 0;
        return granted;
    }

    private long bytes() {
        return (last == null ? 0 : last.bytes()) + live.size() / 8 + 12L * strideTimes.length;
    }

    /** Gives back what it holds. Closing twice is harmless. */
    @Override
    public void close() {
        budget.give(held);
        held = 0;
    }
}

package dev.sluice.subscribe;

import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Subscriptions as they come from outside: one that cannot be read is remembered with its place and its reason. */
public final class SubscriptionBatch {
    /** So many come in one request at most. */
    public static final int MOST = 10_000;

    private final List<Subscription> readable = new ArrayList<>();
    private final List<Integer> places = new ArrayList<>();
    private final List<Refusal> unreadable = new ArrayList<>();

    /**
     * Takes the next one.
     *
     * @param id as far as it is known, for the refusal
     * @param reading throws {@link InvalidInputException} when it makes no sense
     * @throws InvalidInputException when there are too many
     */
    public void add(String id, Supplier<Subscription> reading) {
        int place = size();
        requireFew(place + 1);
        try {
            readable.add(reading.get());
            places.add(place);
        } catch (InvalidInputException e) {
            unreadable.add(new Refusal(place, id, String.valueOf(e.getMessage()), Refusal.Cause.INVALID));
        }
    }

    /** @throws InvalidInputException when a request names so many subscriptions or ids that it must be split */
    public static void requireFew(int count) {
        if (count > MOST) {
            throw new InvalidInputException("one request has at most " + MOST + " subscriptions: send several");
        }
    }

    /** Refuses every subscription for which this throws {@link InvalidInputException}, with that reason. */
    void require(Consumer<Subscription> check) {
        for (int k = readable.size() - 1; k >= 0; k--) {
            try {
                check.accept(readable.get(k));
            } catch (InvalidInputException e) {
                Subscription refused = readable.remove(k);
                int place = places.remove(k);
                unreadable.add(new Refusal(place, refused.id(), String.valueOf(e.getMessage()), Refusal.Cause.INVALID));
            }
        }
    }

    public int size() {
        return readable.size() + unreadable.size();
    }

    List<Subscription> readable() {
        return readable;
    }

    /** Where that one of the readable stood. */
    int place(int index) {
        return places.get(index);
    }

    List<Refusal> unreadable() {
        return unreadable;
    }
}

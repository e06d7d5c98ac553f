package dev.sluice.match;

import dev.sluice.model.Subscription;
import java.util.Arrays;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * How a few, or very many, elements are kept in one reference: none is null, one is itself, a few are an array that is
 * copied on every change, more are a {@link ProbeTable}. A reader takes the reference and walks what it finds; whoever
 * changes a bag stores the reference that comes back.
 */
final class Bag<E> {
    static final Bag<Subscription> SUBSCRIPTIONS = new Bag<>(
            Subscription.class, subscription -> ValueHash.ofText(subscription.id()), (a, b) -> a.id().equals(b.id()));
    static final Bag<SharedFilter> FILTERS =
            new Bag<>(SharedFilter.class, SharedFilter::hashOfFilter, (a, b) -> a == b);

    private static final int FEW = 16;

    private final Class<E> type;
    private final ToIntFunction<E> hash;
    private final BiPredicate<E, E> same;

    private Bag(Class<E> type, ToIntFunction<E> hash, BiPredicate<E, E> same) {
        this.type = type;
        this.hash = hash;
        this.same = same;
    }

    static int size(@Nullable Object bag) {
        if (bag == null) {
            return 0;
        }
        return switch (bag) {
            case Object[] few -> few.length;
            case ProbeTable<?> many -> many.size();
            default -> 1;
        };
    }

    static void forEach(Object bag, Consumer<Object> action) {
        switch (bag) {
            case Object[] few -> Arrays.asList(few).forEach(action);
            case ProbeTable<?> many -> {
                ProbeTable.Slots slots = many.slots();
                for (int slot = 0; slot < slots.capacity(); slot++) {
                    Object element = slots.at(slot);
                    if (element != null) {
                        action.accept(element);
                    }
                }
            }
            default -> action.accept(bag);
        }
    }

    boolean contains(@Nullable Object bag, E element) {
        if (bag == null) {
            return false;
        }
        return switch (bag) {
            case Object[] few -> indexOf(few, element) >= 0;
            case ProbeTable<?> many ->
                table(many).find(hash.applyAsInt(element), each -> same.test(each, element)) != null;
            default -> same.test(type.cast(bag), element);
        };
    }

    /** With the element, in the place of the same one if it is there. */
    Object with(@Nullable Object bag, E element) {
        if (bag == null) {
            return element;
        }
        return switch (bag) {
            case Object[] few -> with(few, element);
            case ProbeTable<?> many -> put(table(many), element);
            default -> same.test(type.cast(bag), element) ? element : new Object[] {bag, element};
        };
    }

    private Object with(Object[] few, E element) {
        int at = indexOf(few, element);
        if (at < 0 && few.length == FEW) {
            ProbeTable<E> many = new ProbeTable<>();
            for (Object each : few) {
                many.add(hash.applyAsInt(type.cast(each)), type.cast(each));
            }
            return put(many, element);
        }
        Object[] copy = Arrays.copyOf(few, at < 0 ? few.length + 1 : few.length);
        copy[at < 0 ? few.length : at] = element;
        return copy;
    }

    /** Puts the element into a table, in the place of the same one if it is there. */
    ProbeTable<E> put(ProbeTable<E> many, E element) {
        int key = hash.applyAsInt(element);
        if (!many.replace(key, each -> same.test(each, element), element)) {
            many.add(key, element);
        }
        return many;
    }

    @Nullable
    Object without(@Nullable Object bag, E element) {
        if (bag == null) {
            return null;
        }
        return switch (bag) {
            case Object[] few -> without(few, element);
            case ProbeTable<?> many -> without(table(many), element);
            default -> same.test(type.cast(bag), element) ? null : bag;
        };
    }

    private Object without(Object[] few, E element) {
        int at = indexOf(few, element);
        if (at < 0) {
            return few;
        }
        if (few.length == 2) {
            return few[1 - at];
        }
        Object[] copy = Arrays.copyOf(few, few.length - 1);
        if (at < copy.length) {
            copy[at] = few[copy.length];
        }
        return copy;
    }

    private @Nullable Object without(ProbeTable<E> many, E element) {
        many.remove(hash.applyAsInt(element), each -> same.test(each, element));
        return many.size() == 0 ? null : many;
    }

    private int indexOf(Object[] few, E element) {
        for (int k = 0; k < few.length; k++) {
            if (same.test(type.cast(few[k]), element)) {
                return k;
            }
        }
        return -1;
    }

    @SuppressWarnings("unchecked") // only this class makes them
    private ProbeTable<E> table(ProbeTable<?> many) {
        return (ProbeTable<E>) many;
    }
}

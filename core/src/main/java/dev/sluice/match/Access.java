package dev.sluice.match;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * By which terms a filter can be found: a document that matches has the value of at least one of the chosen terms.
 * {@code $or} and {@code $in} need all their terms, an {@code $and} any one of its clauses; what says nothing about
 * where to look ({@code $ne}, {@code $exists}, null, …) is {@link Nowhere} and leaves the filter to be tried on every
 * document, unless another clause helps.
 */
sealed interface Access {
    record Nowhere() implements Access {}

    record Leaf(Term term) implements Access {}

    /** Every part must be registered. */
    record Every(List<Access> parts) implements Access {}

    /** One part, the cheapest, is enough. */
    record Choice(List<Access> parts) implements Access {}

    static Access of(Filter filter) {
        return AccessOfFilter.of(filter);
    }

    /** The terms that cost least, or null if there is no complete set of finite cost. */
    default @Nullable Set<Term> cheapest(ToDoubleFunction<Term> cost) {
        if (Double.isInfinite(costs(cost))) {
            return null;
        }
        Set<Term> chosen = new LinkedHashSet<>();
        choose(cost, chosen);
        return chosen;
    }

    private double costs(ToDoubleFunction<Term> cost) {
        return switch (this) {
            case Nowhere none -> Double.POSITIVE_INFINITY;
            case Leaf leaf -> cost.applyAsDouble(leaf.term);
            case Every every ->
                every.parts.stream().mapToDouble(part -> part.costs(cost)).sum();
            case Choice choice ->
                choice.parts.stream()
                        .mapToDouble(part -> part.costs(cost))
                        .min()
                        .orElse(Double.POSITIVE_INFINITY);
        };
    }

    private void choose(ToDoubleFunction<Term> cost, Set<Term> into) {
        switch (this) {
            case Nowhere none -> {}
            case Leaf leaf -> into.add(leaf.term);
            case Every every -> every.parts.forEach(part -> part.choose(cost, into));
            case Choice choice -> {
                Access best = choice.parts.getFirst();
                for (Access part : choice.parts) {
                    best = part.costs(cost) < best.costs(cost) ? part : best;
                }
                best.choose(cost, into);
            }
        }
    }

    /** Every term that some choice could have taken. */
    default void forEach(Consumer<Term> action) {
        switch (this) {
            case Nowhere none -> {}
            case Leaf leaf -> action.accept(leaf.term);
            case Every every -> every.parts.forEach(part -> part.forEach(action));
            case Choice choice -> choice.parts.forEach(part -> part.forEach(action));
        }
    }

    static Access every(List<Access> parts) {
        return parts.stream().anyMatch(Nowhere.class::isInstance)
                ? new Nowhere()
                : parts.size() == 1 ? parts.getFirst() : new Every(List.copyOf(parts));
    }

    static Access choice(List<Access> parts) {
        List<Access> useful = new ArrayList<>(parts);
        useful.removeIf(Nowhere.class::isInstance);
        return useful.isEmpty() ? new Nowhere() : useful.size() == 1 ? useful.getFirst() : new Choice(useful);
    }
}

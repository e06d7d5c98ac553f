package dev.sluice.match;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.Subscription;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Adding, removing and replacing while others match: what is settled is always found, and nothing is found twice. */
class ConcurrentMatchingTest {
    private static final int STABLE = 200;
    private static final int ROUNDS = 4000;
    private static final ChangeEvent EVENT =
            Events.insert("orders", "{a:1,b:[1,2,3],c:5,name:'item-7',nested:{x:[{y:1},{y:2}]}}");
    private static final List<String> MATCHING = List.of(
            "{a:1}",
            "{b:2}",
            "{b:{$in:[3,9]}}",
            "{c:{$gte:4,$lt:6}}",
            "{c:{$gt:1}}",
            "{name:/^item/}",
            "{'nested.x.y':2}",
            "{$or:[{a:7},{c:5}]}",
            "{z:{$exists:false}}",
            "{}");

    private final SubscriptionIndex index = new SubscriptionIndex();
    private final AtomicBoolean done = new AtomicBoolean();

    @Test
    void whatIsSettledIsAlwaysFoundOnceWhateverElseChanges() throws Exception {
        Set<String> stable = new HashSet<>();
        IntStream.range(0, STABLE).mapToObj(k -> matching("stable" + k, k)).forEach(subscription -> {
            index.add(subscription);
            stable.add(subscription.id());
        });
        Subscription mover = matching("mover", 0);
        index.add(mover);
        stable.add("mover");
        try (ExecutorService threads = Executors.newFixedThreadPool(6)) {
            List<Future<Integer>> matchers = Stream.<Callable<Integer>>generate(() -> () -> matchUntilDone(stable))
                    .limit(2)
                    .map(threads::submit)
                    .toList();
            List<Future<?>> changers = Stream.<Runnable>of(() -> comeAndGo(1), () -> comeAndGo(2), () -> move(mover))
                    .<Future<?>>map(threads::submit)
                    .toList();
            try {
                for (Future<?> changer : changers) {
                    changer.get();
                }
            } finally {
                done.set(true);
            }
            for (Future<Integer> matcher : matchers) {
                assertThat(matcher.get()).isPositive();
            }
        }
        assertThat(index.size()).isEqualTo(STABLE + 1);
    }

    private int matchUntilDone(Set<String> stable) {
        Matcher matcher = index.matcher();
        int matches = 0;
        while (!done.get()) {
            Set<String> found = new HashSet<>();
            matcher.match(EVENT, (subscription, kind) -> {
                assertThat(found.add(subscription.id())).as("told once").isTrue();
                assertThat(subscription.filter()).doesNotContain("never");
            });
            assertThat(found).containsAll(stable);
            matches++;
        }
        return matches;
    }

    /** What was added is found by the next match, what was removed is not. */
    private void comeAndGo(int seed) {
        Random random = new Random(seed);
        Matcher matcher = index.matcher();
        for (int k = 0; k < ROUNDS; k++) {
            Subscription subscription = matching("guest" + seed, random.nextInt(1000));
            Subscription deaf = Events.subscription("deaf" + seed, "{never:" + random.nextInt(100) + ",a:1}");
            index.add(deaf);
            index.add(subscription);
            assertThat(isFound(matcher, subscription)).isTrue();
            assertThat(index.remove(subscription)).isTrue();
            assertThat(isFound(matcher, subscription)).isFalse();
            assertThat(index.remove(deaf)).isTrue();
        }
    }

    private static boolean isFound(Matcher matcher, Subscription wanted) {
        boolean[] found = new boolean[1];
        matcher.match(EVENT, (subscription, kind) -> found[0] |= subscription == wanted);
        return found[0];
    }

    private void move(Subscription first) {
        Subscription now = first;
        for (int k = 1; k < ROUNDS; k++) {
            Subscription next = matching("mover", k);
            index.replace(now, next);
            now = next;
        }
    }

    private static Subscription matching(String id, int which) {
        return Events.subscription(id, MATCHING.get(which % MATCHING.size()));
    }
}

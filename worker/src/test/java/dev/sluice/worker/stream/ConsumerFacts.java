package dev.sluice.worker.stream;

import static dev.sluice.worker.stream.StreamScene.durable;
import static dev.sluice.worker.stream.StreamScene.inactive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.worker.stream.StreamState.Retention;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** How JetStream creates, changes and deletes consumers, as far as workers depend on it. */
interface ConsumerFacts extends StreamScene {
    @Test
    default void aMissingConsumerHasNoInfoAndIsNotDeleted() {
        limits();
        assertThat(consumers().info("c")).isEmpty();
        assertThat(consumers().delete("c")).isFalse();
        assertThatThrownBy(() -> consumers().changeFilters(durable("c", "p.1")))
                .isInstanceOf(StreamRefusedException.class);
    }

    @Test
    default void infoTellsFiltersAndCreation() {
        limits();
        ConsumerState made = create(durable("c", "p.1", "p.2"));
        ConsumerState found = consumers().info("c").orElseThrow();
        assertThat(found.filters()).containsExactlyInAnyOrder("p.1", "p.2");
        assertThat(found.created()).isEqualTo(made.created()).isAfter(Instant.EPOCH);
        assertThat(found.name()).isEqualTo("c");
    }

    @Test
    default void aConsumerThatIsMadeAgainHasAnotherCreationTime() {
        limits();
        ConsumerState first = create(durable("c", "p.1"));
        assertThat(consumers().delete("c")).isTrue();
        assertThat(create(durable("c", "p.1")).created()).isAfter(first.created());
    }

    @Test
    default void aNameInUseIsRefusedForOtherSettings() {
        limits();
        create(durable("c", "p.1"));
        assertThatThrownBy(() -> create(durable("c", "p.2"))).isInstanceOf(StreamRefusedException.class);
        assertThat(consumers().info("c").orElseThrow().filters()).containsExactly("p.1");
    }

    @Test
    default void aNameInUseWithTheSameSettingsIsTheSameConsumer() {
        limits();
        ConsumerState first = create(durable("c", "p.1"));
        assertThat(create(durable("c", "p.1")).created()).isEqualTo(first.created());
    }

    @Test
    default void filtersOfOneConsumerMayNotOverlap() {
        limits();
        assertThatThrownBy(() -> create(durable("c", "p.1", "p.1"))).isInstanceOf(StreamRefusedException.class);
        assertThatThrownBy(() -> create(durable("c", "p.1", "p.*"))).isInstanceOf(StreamRefusedException.class);
    }

    /** JetStream takes an empty list for no filter at all: such a consumer would get every subject. */
    @Test
    default void aConsumerWithoutFiltersCannotBeAskedFor() {
        assertThatThrownBy(() -> durable("c")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    default void namesAreFoundByPrefix() {
        limits();
        create(durable("a-1", "p.1"));
        create(durable("a-2", "p.1"));
        create(durable("b-1", "p.1"));
        assertThat(consumers().names("a-")).containsExactlyInAnyOrder("a-1", "a-2");
        assertThat(consumers().names("")).hasSize(3);
    }

    @Test
    default void aStreamAllowsAsManyConsumersAsItSays() {
        open(Retention.LIMITS, 2);
        create(durable("a", "p.1"));
        create(durable("b", "p.1"));
        assertThatThrownBy(() -> create(durable("c", "p.1")))
                .isInstanceOfSatisfying(
                        StreamRefusedException.class,
                        refused -> assertThat(refused.code()).isEqualTo(StreamRefusedException.TOO_MANY_CONSUMERS));
        assertThat(stream().state().maxConsumers()).isEqualTo(2);
    }

    @Test
    default void aConsumerThatNobodyPullsIsDeletedAfterItsInactiveThreshold() {
        limits();
        create(inactive("idle", SOON_AGAIN));
        create(inactive("pulled", SOON_AGAIN));
        receive("pulled", 5);
        until("the idle one is deleted", () -> consumers().info("idle").isEmpty());
        create(inactive("idle2", SOON_AGAIN));
        until("another idle one is deleted", () -> consumers().info("idle2").isEmpty());
        assertThat(consumers().info("pulled")).isPresent();
    }
}

package dev.sluice.lane;

import dev.sluice.deliver.EventOutcome;

/** What a gateway's answer for one event means: it may have said "later" often enough, or not know the subscription. */
record OutcomeJudge(LaneSettings settings) {
    /** What is wanted later, and is to blame for that often enough, is as good as rejected. */
    EventOutcome judge(PendingDelivery owed, EventOutcome said) {
        return switch (said) {
            case EventOutcome.Delivered has -> said;
            case EventOutcome.NotHeld unknown -> notHeld(owed);
            case EventOutcome.Rejected no -> {
                owed.failed(no.reason());
                yield settings.deadLetters() ? no : new EventOutcome.RetryLater(no.reason());
            }
            case EventOutcome.RetryLater later -> {
                owed.failed(later.reason());
                owed.blamed = later.eventMayBeToBlame() ? owed.blamed + 1 : 0;
                boolean guilty = settings.deadLetters()
                        && owed.blamed >= settings.retry().maxAttempts();
                yield guilty
                        ? new EventOutcome.Rejected("it keeps failing although the gateway answers: " + later.reason())
                        : later;
            }
        };
    }

    /**
     * The gateway does not know the subscription. Nobody there wants the event, unless the subscription has just moved: then it
     * is owed to another gateway. A dead letter that was not told stays a dead letter.
     */
    private static EventOutcome notHeld(PendingDelivery delivery) {
        if (delivery.letterId != null) {
            return new EventOutcome.Rejected("the gateway does not know the subscription");
        }
        return delivery.given == null || delivery.given.isBroadcast() || delivery.sender.isCurrent(delivery)
                ? EventOutcome.DELIVERED
                : new EventOutcome.RetryLater("the gateway does not know the subscription, which has changed");
    }
}

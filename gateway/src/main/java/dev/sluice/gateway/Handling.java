package dev.sluice.gateway;

/** What became of one event at one subscription. */
sealed interface Handling {
    /** Nothing more is to be done. */
    enum Done implements Handling {
        HANDLED,
        /** It was handled before. */
        REPEAT,
        /** It was sent to everybody, and does not concern this subscription. */
        FILTERED,
        /** Nobody here has such a subscription. */
        UNKNOWN
    }

    /** The application never wants it. */
    record Rejected(String reason) implements Handling {}

    /**
     * Not now.
     *
     * @param brokeDown the application's code keeps throwing something over it: the event may be to blame
     */
    record Failed(String reason, boolean brokeDown) implements Handling {
        Failed(String reason) {
            this(reason, false);
        }
    }

    /** An earlier event of the batch comes again, and it behind that. */
    record Waits(String reason) implements Handling {}

    /** Its sender was replaced while the batch was being handled. */
    record Stale() implements Handling {}
}

package dev.sluice.stream;

/** What one step of a stream came to. */
public sealed interface Step {
    /** Events were laid out; there may be more. */
    record Sent(int events) implements Step {}

    /** No event yet, but the stream moved: step again, after others had their turn. */
    record Working() implements Step {}

    /** The stream is at the head of every log. */
    record Waiting() implements Step {}

    /**
     * The stream has ended, after what was laid out in this step: some backend's events behind the marker are no longer kept.
     *
     * @param oldest a marker that works: the oldest position of that backend, the stream's own of all others
     */
    record OutOfRange(String backend, String oldest) implements Step {
        public String sentence() {
            return "The events of backend '" + backend + "' behind this marker are no longer kept: read the source's"
                    + " current state again, then go on after the oldest marker: " + oldest;
        }
    }

    /** The stream has ended: its marker is of another Puller that is further, and this one did not catch up in time. */
    record TooFarAhead(String backend) implements Step {
        public String sentence() {
            return "The marker is ahead of what this server has captured of backend '" + backend
                    + "', and waiting did not help: try again, or use the server the marker came from";
        }
    }
}

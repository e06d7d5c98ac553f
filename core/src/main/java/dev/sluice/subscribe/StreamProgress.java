package dev.sluice.subscribe;

/**
 * How far the Streamer is, as markers that whoever registers or renews may keep and hand back as {@code from}. Both
 * answer at once, and are empty while nothing is known.
 */
public interface StreamProgress {
    StreamProgress UNKNOWN = new StreamProgress() {
        @Override
        public String head() {
            return "";
        }

        @Override
        public String lowWater(String gatewayId) {
            return "";
        }
    };

    /** Where a subscription that is registered from now on begins, or a little before. */
    String head();

    /** Everything this gateway was owed up to there it has acknowledged. */
    String lowWater(String gatewayId);
}

package dev.sluice.route;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * For whom a position is kept: a gateway, a share of the subscriptions that name no gateway, or a gateway that is sent what
 * belongs to another recipient. Its text is what people see; {@link #stored} is what saved positions hold.
 */
sealed interface Recipient {
    /** The subscriptions that name this gateway. */
    record Gateway(String id) implements Recipient {
        @Override
        public String stored() {
            return id;
        }

        @Override
        public String toString() {
            return id;
        }
    }

    /** Subscriptions without a gateway, those of one hash: the ring places them together. */
    record RingShare(int number) implements Recipient {
        @Override
        public String stored() {
            return "\u0001" + number;
        }

        @Override
        public String toString() {
            return "ring share " + number;
        }
    }

    /**
     * What a gateway is sent of another recipient, while that is broadcast.
     *
     * @param of whose subscriptions they are
     */
    record Broadcast(String gateway, Recipient of) implements Recipient {
        @Override
        public String stored() {
            return "\u0002" + gateway + "\u0002" + of.stored();
        }

        @Override
        public String toString() {
            return "broadcast of " + of + " to " + gateway;
        }
    }

    /** As saved positions name it. Ids of gateways have no control characters, so the three forms differ. */
    String stored();

    /** Returns the owner of the subscriptions: this recipient, or for a broadcast the recipient they belong to. */
    default Recipient subject() {
        return this instanceof Broadcast broadcast ? broadcast.of : this;
    }

    static Recipient parse(String stored) {
        Matcher share = Stored.SHARE.matcher(stored);
        if (share.matches()) {
            return new RingShare(Integer.parseInt(share.group(1)));
        }
        Matcher broadcast = Stored.BROADCAST.matcher(stored);
        return broadcast.matches() ? new Broadcast(broadcast.group(1), parse(broadcast.group(2))) : new Gateway(stored);
    }

    /** The forms that are not simply an id. */
    final class Stored {
        private static final Pattern SHARE = Pattern.compile("\u0001(\\d{1,9})");
        private static final Pattern BROADCAST = Pattern.compile("\u0002([^\u0002]*)\u0002(.*)", Pattern.DOTALL);

        private Stored() {}
    }
}

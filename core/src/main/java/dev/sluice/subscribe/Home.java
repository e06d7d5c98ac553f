package dev.sluice.subscribe;

import dev.sluice.model.InvalidInputException;

/** Where a subscription belongs. It changes only by a change of the registry. */
public sealed interface Home {
    Broadcast BROADCAST = new Broadcast();

    /** The gateway that the subscription names. */
    record Gateway(String id) implements Home {
        @Override
        public String text() {
            return "g:" + id;
        }
    }

    /** One share of the subscriptions that no gateway holds; the ring places whole shares on gateways. */
    record Share(int number) implements Home {
        @Override
        public String text() {
            return "s:" + number;
        }
    }

    /** Every live gateway. */
    record Broadcast() implements Home {
        @Override
        public String text() {
            return "b:";
        }
    }

    /** As stored records and saved positions name it; {@link #parse} reads it. */
    String text();

    /** As status reports name it. */
    default String words() {
        return switch (this) {
            case Gateway gateway -> "gateway " + gateway.id();
            case Share share -> "ring share " + share.number();
            case Broadcast all -> "broadcast";
        };
    }

    static Home parse(String text) {
        if (text.startsWith("g:")) {
            return new Gateway(text.substring(2));
        }
        if (text.equals("b:")) {
            return BROADCAST;
        }
        if (text.matches("s:\\d{1,9}")) {
            return new Share(Integer.parseInt(text.substring(2)));
        }
        throw new InvalidInputException("home " + InvalidInputException.quote(text) + " is none of g:ID, s:N, b:");
    }
}

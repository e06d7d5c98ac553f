package dev.sluice.deliver;

import dev.sluice.model.InvalidInputException;

/** Makes the deliverer a gateway's protocol asks for. */
@FunctionalInterface
public interface Deliverers {
    /** @throws InvalidInputException saying what is wrong with the endpoint; nothing is connected yet */
    Deliverer to(GatewayAddress gateway);
}

package dev.sluice.subscribe;

import dev.sluice.deliver.GatewayAddress;
import java.time.Duration;

/**
 * A gateway now.
 *
 * @param up false: its lease has ended, and the grace runs
 * @param left until it is away when it is up, until it is gone when it is away; a Kafka gateway's never ends
 */
public record GatewayStatus(GatewayAddress address, boolean up, Duration left) {}

package dev.sluice.gateway;

/**
 * The application's code for one subscription. Returning is the acknowledgement: what is not safe then is lost when the
 * process dies. It is called by one thread at a time, in the order of each document's changes; a call should end well
 * within the Streamer's delivery timeout (5 seconds), or the event comes again while it still runs, and waits for it.
 */
@FunctionalInterface
public interface EventCallback {
    /**
     * @throws RejectedException this event is never wanted: the Streamer keeps it as a dead letter
     * @throws NotNowException the event comes again, for as long as it takes
     * @throws Exception the event comes again; one that still fails after a minute may become a dead letter
     */
    void receive(ReceivedEvent event) throws Exception;
}

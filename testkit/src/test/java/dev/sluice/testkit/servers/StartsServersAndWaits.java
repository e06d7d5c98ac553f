package dev.sluice.testkit.servers;

/** A program for {@link ServersEndWithTheJvmTest}: prints the ids of the servers it started, then ends or waits. */
final class StartsServersAndWaits {

    private StartsServersAndWaits() {}

    public static void main(String[] arguments) throws Exception {
        // From a thread that ends: the servers must live on.
        var starter = Thread.ofPlatform().start(() -> {
            System.out.println(NatsServer.startPrivate().pid());
            System.out.println(PostgresServer.startPrivate().pid());
            System.out.println(TestRun.current().folder());
        });
        starter.join();
        System.out.println("started");
        if (System.in.read() < 0) {
            throw new IllegalStateException("the test is gone");
        }
    }
}

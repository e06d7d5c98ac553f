package dev.sluice.server.cli;

import static dev.sluice.server.cli.TextTable.value;

import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice resync}: tells subscribers to read the current state again. */
@Command(
        name = "resync",
        header = "Send RESYNC: subscribers read the current state again.",
        synopsisHeading = "%nUsage:%n  ",
        customSynopsis = "sluice resync --subscription ID | --gateway ID | --all [options]",
        descriptionHeading = "%n",
        description =
                "For example after a restore of the database, or when an end user may have missed changes. When the"
                        + " command returns, the order survives a crash of the node; a gateway that is away is told when it is back.",
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nFor example:%n",
        footer = "  sluice resync --gateway realtime-1")
final class ResyncCommand extends NodeCommand {
    @ArgGroup(multiplicity = "1")
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private Which which;

    static final class Which {
        @Option(names = "--subscription", paramLabel = "ID", description = "This subscription.")
        private @Nullable String subscription;

        @Option(names = "--gateway", paramLabel = "ID", description = "All subscriptions of this gateway.")
        private @Nullable String gateway;

        @Option(names = "--all", description = "All subscriptions.")
        private boolean all;

        BsonDocument body() {
            if (subscription != null) {
                return new BsonDocument("subscription", new BsonString(subscription));
            }
            return gateway != null
                    ? new BsonDocument("gateway", new BsonString(gateway))
                    : new BsonDocument("all", BsonBoolean.valueOf(all));
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        var answer = node.send("POST", "/admin/v1/resync", which.body().toJson());
        return show(answer, told -> "subscriptions that are sent RESYNC: " + value(told, "subscriptions") + "\n");
    }
}

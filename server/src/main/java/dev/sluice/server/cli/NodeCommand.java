package dev.sluice.server.cli;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.bson.BsonDocument;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A command that asks a running node, and shows the answer to people or to machines. */
abstract class NodeCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    protected CommandSpec spec;

    @Mixin
    protected AdminAddress node = new AdminAddress();

    @Option(names = "--json", description = "The node's answer as it is, for machines.")
    protected boolean json;

    protected int show(String body, Function<BsonDocument, String> form) {
        var out = spec.commandLine().getOut();
        out.print(json ? body + "\n" : form.apply(BsonDocument.parse(body)));
        out.flush();
        return ExitCode.DONE;
    }

    /** For a place in a path or a query. */
    protected static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}

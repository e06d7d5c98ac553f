package dev.sluice.devmongo.command;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.store.DuplicateKey;
import dev.sluice.devmongo.wire.Connection;
import dev.sluice.devmongo.wire.Dispatcher;
import dev.sluice.devmongo.wire.Reply;
import dev.sluice.devmongo.wire.Request;
import org.bson.BSONException;
import org.bson.BsonDocument;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the command, checks that this member may run it now, runs it, and wraps what it said. */
public final class CommandDispatcher implements Dispatcher {
    private static final Logger LOG = LoggerFactory.getLogger(CommandDispatcher.class);

    private final Node node;
    private final Commands commands;
    private final Runnable afterWrite;

    /** @param afterWrite runs after every command that may have written, before it is answered */
    public CommandDispatcher(Node node, Runnable afterWrite) {
        this.node = node;
        this.afterWrite = afterWrite;
        this.commands = new Commands();
    }

    @Override
    public Reply dispatch(Request request, Connection connection) throws InterruptedException {
        BsonDocument command = request.command();
        if (command.isEmpty()) {
            throw new ConnectionDropped();
        }
        Operation operation = node.operations().begin(command, Invocation.sessionId(command));
        Invocation call = new Invocation(node, command, connection, operation);
        Envelope envelope = new Envelope(call);
        try {
            return envelope.success(run(call));
        } catch (CommandException refused) {
            return envelope.error(refused);
        } catch (DuplicateKey duplicate) {
            return envelope.error(duplicate.asCommandError());
        } catch (BSONException | ClassCastException wrongType) {
            return envelope.error(CommandException.typeMismatch(String.valueOf(wrongType.getMessage())));
        } catch (IllegalArgumentException | IllegalStateException | NullPointerException bug) {
            LOG.warn("Command {} failed unexpectedly.", call.name(), bug);
            return envelope.error(new CommandException(8, "UnknownError", String.valueOf(bug)));
        } finally {
            node.operations().end(operation);
        }
    }

    private Outcome run(Invocation call) throws InterruptedException {
        Commands.Entry entry = commands.find(call.name());
        if (entry == null) {
            throw new CommandException(59, "CommandNotFound", "no such command: '" + call.name() + "'");
        }
        node.failPoints().hit(call.name());
        if (entry.inSession()) {
            return inSession(entry, call);
        }
        RoleCheck.require(entry.need(), call);
        return entry.command().run(call);
    }

    /** A command that fails may have written before. */
    private Outcome inSession(Commands.Entry entry, Invocation call) {
        try {
            return InSession.run(entry.command(), entry.need(), call);
        } finally {
            if (entry.need() == RoleCheck.Need.PRIMARY) {
                afterWrite.run();
            }
        }
    }
}

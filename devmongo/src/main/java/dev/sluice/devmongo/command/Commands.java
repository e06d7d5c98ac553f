package dev.sluice.devmongo.command;

import dev.sluice.devmongo.command.RoleCheck.Need;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Every command by name, and what it needs. */
final class Commands {
    /**
     * A command.
     *
     * @param inSession whether it runs under the store's lock, with transactions and retryable writes
     */
    record Entry(Command command, Need need, boolean inSession) {}

    private final Map<String, Entry> byName = new HashMap<>();

    Commands() {
        handshake();
        documents();
        catalog();
        sessions();
        replication();
        diagnostics();
    }

    @Nullable
    Entry find(String name) {
        return byName.get(name);
    }

    private void handshake() {
        Command hello = new Hello();
        any("hello", hello);
        any("isMaster", hello);
        any("ismaster", hello);
        any("ping", call -> Outcome.ok());
        any("saslStart", Diagnostics::refuseCredentials);
        any("logout", call -> Outcome.ok());
    }

    private void documents() {
        write("insert", new Insert());
        write("update", new UpdateDocuments());
        write("delete", new Delete());
        write("findAndModify", new FindAndModify());
        write("findandmodify", new FindAndModify());
        read("find", new Find());
        read("count", new Count());
        read("distinct", new Distinct());
        byName.put("aggregate", new Entry(new Aggregate(), Need.READABLE, false));
        any("getMore", new GetMore());
        any("killCursors", new KillCursors());
    }

    private void catalog() {
        write("create", Catalog::create);
        write("drop", Catalog::drop);
        write("renameCollection", Catalog::rename);
        write("dropDatabase", Catalog::dropDatabase);
        write("collMod", Catalog::collMod);
        read("listCollections", Listings::collections);
        read("listDatabases", Listings::databases);
        write("createIndexes", Indexes::create);
        write("dropIndexes", Indexes::drop);
        read("listIndexes", Indexes::list);
        read("collStats", Listings::collectionStatistics);
        read("collstats", Listings::collectionStatistics);
        read("dbStats", Listings::databaseStatistics);
        read("dbstats", Listings::databaseStatistics);
    }

    private void sessions() {
        any("startSession", SessionCommands::start);
        any("refreshSessions", call -> Outcome.ok());
        locked("endSessions", SessionCommands::end);
        locked("killSessions", SessionCommands::kill);
        locked("killAllSessions", SessionCommands::killAll);
        write("commitTransaction", SessionCommands::commit);
        write("abortTransaction", SessionCommands::abort);
        any("currentOp", SessionCommands::currentOp);
        any("killOp", SessionCommands::killOp);
    }

    private void replication() {
        any("replSetGetStatus", Replication::status);
        any("replSetGetConfig", Replication::config);
        any("replSetStepDown", Replication::stepDown);
        any("replSetInitiate", Replication::initiate);
        any("shutdown", Replication::shutDown);
        any("configureFailPoint", ConfigureFailPoint::run);
    }

    private void diagnostics() {
        any("buildInfo", Diagnostics::buildInfo);
        any("buildinfo", Diagnostics::buildInfo);
        any("getParameter", Diagnostics::getParameter);
        any("setParameter", Diagnostics::setParameter);
        any("hostInfo", Diagnostics::hostInfo);
        any("getCmdLineOpts", Diagnostics::commandLine);
        any("connectionStatus", Diagnostics::connectionStatus);
        any("getLog", Diagnostics::log);
        any("serverStatus", Diagnostics::serverStatus);
        any("whatsmyuri", Diagnostics::whatsMyUri);
    }

    private void write(String name, Command command) {
        byName.put(name, new Entry(command, Need.PRIMARY, true));
    }

    private void read(String name, Command command) {
        byName.put(name, new Entry(command, Need.READABLE, true));
    }

    private void locked(String name, Command command) {
        byName.put(name, new Entry(command, Need.NOTHING, true));
    }

    private void any(String name, Command command) {
        byName.put(name, new Entry(command, Need.NOTHING, false));
    }
}

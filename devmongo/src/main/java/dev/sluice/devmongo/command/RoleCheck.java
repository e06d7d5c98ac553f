package dev.sluice.devmongo.command;

import dev.sluice.devmongo.CommandException;

/** Refuses writes on a secondary, and reads there by a client that did not agree to it. */
final class RoleCheck {
    /** What a command needs of the member that runs it. */
    enum Need {
        PRIMARY,
        READABLE,
        NOTHING
    }

    private RoleCheck() {}

    static void require(Need need, Invocation call) {
        if (call.node().topology().primary() || need == Need.NOTHING) {
            return;
        }
        boolean old = !call.node().version().atLeast(5, 0);
        if (need == Need.PRIMARY) {
            throw new CommandException(10107, "NotWritablePrimary", old ? "not master" : "not primary");
        }
        String mode = call.document("$readPreference").isString("mode")
                ? call.document("$readPreference").getString("mode").getValue()
                : "primary";
        if (mode.equals("primary")) {
            throw new CommandException(
                    13435,
                    "NotPrimaryNoSecondaryOk",
                    old ? "not master and slaveOk=false" : "not primary and secondaryOk=false");
        }
    }
}

package dev.sluice.devmongo.update;

import dev.sluice.devmongo.CommandException;

/** Takes the path of an update apart, and refuses one that cannot be stored. */
final class UpdatePath {
    private UpdatePath() {}

    static String[] split(String path) {
        if (path.isEmpty()) {
            throw emptyName("An empty update path is not valid.");
        }
        String[] names = path.split("\\.", -1);
        if (isPositional(names[0])) {
            throw CommandException.badValue(
                    "Cannot have positional (i.e. '$') element in the first position in path '" + path + "'");
        }
        for (String name : names) {
            if (name.isEmpty()) {
                throw emptyName("The update path '" + path + "' contains an empty field name, which is not allowed.");
            }
            if (name.startsWith("$") && !isPositional(name)) {
                throw new CommandException(
                        52,
                        "DollarPrefixedFieldName",
                        "The dollar ($) prefixed field '" + name + "' in '" + path + "' is not valid for storage.");
            }
        }
        return names;
    }

    static boolean isPositional(String name) {
        return name.equals("$") || (name.startsWith("$[") && name.endsWith("]"));
    }

    private static CommandException emptyName(String message) {
        return new CommandException(56, "EmptyFieldName", message);
    }
}

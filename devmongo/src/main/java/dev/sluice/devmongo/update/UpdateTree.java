package dev.sluice.devmongo.update;

import dev.sluice.devmongo.CommandException;
import java.util.Map;
import java.util.TreeMap;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * All field updates of one update, as a tree along their paths: two that touch each other's paths are refused when
 * they are added, and walking it visits paths in lexicographic order.
 */
final class UpdateTree {
    private sealed interface Node {}

    private record Leaf(FieldUpdate update) implements Node {}

    private record Branch(TreeMap<String, Node> children) implements Node {
        boolean creates(Edit edit) {
            return children.values().stream()
                    .anyMatch(child -> child instanceof Branch branch
                            ? branch.creates(edit)
                            : child instanceof Leaf leaf && leaf.update.creates(edit));
        }

        /** Its children stand for array elements: {@code $[]} or {@code $[identifier]}. */
        boolean spansElements() {
            return !children.isEmpty() && isElements(children.firstKey());
        }
    }

    private final ArrayFilters filters;
    private final Branch root = new Branch(new TreeMap<>());

    UpdateTree(ArrayFilters filters) {
        this.filters = filters;
    }

    void add(String path, FieldUpdate update) {
        String[] names = UpdatePath.split(path);
        Branch parent = root;
        int end = 0;
        for (int i = 0; i < names.length; i++) {
            filters.use(names[i], path);
            boolean mixed = !parent.children.isEmpty() && parent.spansElements() != isElements(names[i]);
            if (mixed) {
                throw conflict(path, path.substring(0, Math.max(end - 1, 0)));
            }
            end += names[i].length() + 1;
            String here = path.substring(0, end - 1);
            Node existing = parent.children.get(names[i]);
            boolean last = i == names.length - 1;
            if (existing instanceof Leaf || (last && existing != null)) {
                throw conflict(path, here);
            }
            if (last) {
                parent.children.put(names[i], new Leaf(update));
            } else if (existing instanceof Branch branch) {
                parent = branch;
            } else {
                Branch created = new Branch(new TreeMap<>());
                parent.children.put(names[i], created);
                parent = created;
            }
        }
    }

    private static CommandException conflict(String path, String at) {
        return new CommandException(
                40,
                "ConflictingUpdateOperators",
                "Updating the path '" + path + "' would create a conflict at '" + at + "'");
    }

    private static boolean isElements(String name) {
        return name.startsWith("$[");
    }

    void applyTo(Edit edit) {
        apply(root, edit.root(), "", edit);
    }

    private void apply(Branch branch, BsonValue container, String path, Edit edit) {
        for (Map.Entry<String, Node> child : branch.children.entrySet()) {
            String name = child.getKey().equals("$") ? Integer.toString(edit.position()) : child.getKey();
            apply(child.getValue(), new Slot(container, name, path.isEmpty() ? name : path + "." + name), edit);
        }
    }

    private void apply(Node node, Slot slot, Edit edit) {
        boolean creates = node instanceof Branch branch
                ? branch.creates(edit)
                : node instanceof Leaf leaf && leaf.update.creates(edit);
        if (!slot.viable()) {
            if (creates) {
                throw notViable(slot);
            }
            return;
        }
        switch (node) {
            case Leaf leaf -> leaf.update.apply(slot, edit);
            case Branch branch -> descend(branch, slot, creates, edit);
        }
    }

    private void descend(Branch branch, Slot slot, boolean creates, Edit edit) {
        BsonValue value = slot.get();
        if (branch.spansElements()) {
            applyToElements(branch, slot, edit);
        } else if (value != null) {
            apply(branch, value, slot.path(), edit);
        } else if (creates) {
            BsonDocument created = new BsonDocument();
            apply(branch, created, slot.path(), edit);
            if (!created.isEmpty()) {
                slot.set(created);
            }
        }
    }

    /** One changed element is reported by itself, several as the whole array. */
    private void applyToElements(Branch branch, Slot slot, Edit edit) {
        BsonValue value = slot.get();
        if (value == null) {
            throw CommandException.badValue(
                    "The path '" + slot.path() + "' must exist in the document in order to apply array updates.");
        }
        if (!(value instanceof BsonArray array)) {
            throw CommandException.badValue(
                    "Cannot apply array updates to non-array element " + Describe.field(slot.name(), value));
        }
        int changed = 0;
        int lastChanged = -1;
        for (int i = 0; i < array.size(); i++) {
            int index = i;
            if (edit.unrecorded(() -> applyToElement(branch, array, index, slot.path(), edit))) {
                changed++;
                lastChanged = i;
            }
        }
        if (changed == 1) {
            edit.changes().set(slot.path() + "." + lastChanged, array.get(lastChanged));
        } else if (changed > 1) {
            edit.changes().set(slot.path(), array);
        }
    }

    private void applyToElement(Branch branch, BsonArray array, int index, String path, Edit edit) {
        BsonValue element = array.get(index);
        branch.children.forEach((identifier, child) -> {
            if (filters.accept(identifier, element)) {
                apply(child, new Slot(array, Integer.toString(index), path + "." + index), edit);
            }
        });
    }

    private static CommandException notViable(Slot slot) {
        int dot =
                slot.path().lastIndexOf('.', slot.path().length() - slot.name().length() - 2);
        int end = slot.path().length() - slot.name().length() - 1;
        String holder = slot.path().substring(dot + 1, Math.max(end, dot + 1));
        return new CommandException(
                28,
                "PathNotViable",
                "Cannot create field '" + slot.name() + "' in element {" + Describe.field(holder, slot.container())
                        + "}");
    }
}

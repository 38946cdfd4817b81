import type { Model } from "../../../../platform-client/types.ts";
import { call } from "../../platform/call.ts";
import type { BulkAction } from "../../parts/list/bulk-dialog.tsx";

const DELETE: BulkAction<Model> = {
  label: "Delete",
  done: "deleted",
  about: "Only models that were never called and that nothing names can be deleted. This cannot be undone.",
  run: ({ id }) => call("removeModel", { path: { id } }),
};

export const MODEL_ACTIONS: readonly BulkAction<Model>[] = [
  {
    label: "Archive",
    done: "archived",
    about: "Archived models are hidden from the list. Only retired models can be archived. You can restore them.",
    weight: "primary",
    run: ({ id }) => call("updateModel", { path: { id }, body: { archived: true } }),
  },
  DELETE,
];

export const ARCHIVED_MODEL_ACTIONS: readonly BulkAction<Model>[] = [
  {
    label: "Restore",
    done: "restored",
    about: "Restored models are in the list again. They stay retired.",
    weight: "primary",
    run: ({ id }) => call("updateModel", { path: { id }, body: { archived: false } }),
  },
  DELETE,
];

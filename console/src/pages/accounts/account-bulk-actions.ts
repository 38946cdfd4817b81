import type { Account } from "../../../../platform-client/types.ts";
import { call } from "../../platform/call.ts";
import type { BulkAction } from "../../parts/list/bulk-dialog.tsx";

export const ACCOUNT_ACTIONS: readonly BulkAction<Account>[] = [
  {
    label: "Archive",
    done: "archived",
    about: "Archived accounts are hidden from the list, and requests with their keys are rejected. You can restore them.",
    run: ({ id }) => call("updateAccount", { path: { id }, body: { archived: true } }),
  },
];

export const ARCHIVED_ACCOUNT_ACTIONS: readonly BulkAction<Account>[] = [
  {
    label: "Restore",
    done: "restored",
    about: "Restored accounts are in the list again, and requests with their keys are accepted.",
    weight: "primary",
    run: ({ id }) => call("updateAccount", { path: { id }, body: { archived: false } }),
  },
  {
    label: "Delete",
    done: "deleted",
    about: "Only accounts without ledger entries, keys and members can be deleted. This cannot be undone.",
    run: ({ id }) => call("removeAccount", { path: { id } }),
  },
];

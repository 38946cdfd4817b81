import type { Key, UpdateKeyRequest } from "../../../../platform-client/types.ts";
import { call } from "../../platform/call.ts";
import type { BulkAction } from "../../parts/list/bulk-dialog.tsx";
import { CHANGE_LIMITS } from "./change-limits.tsx";

function update(body: UpdateKeyRequest): (key: Key) => Promise<unknown> {
  return ({ id }) => call("updateKey", { path: { id }, body });
}

const REVOKE: BulkAction<Key> = {
  label: "Revoke",
  done: "revoked",
  about: "Requests with these keys are rejected immediately. This cannot be undone. Usage history stays available.",
  run: ({ id }) => call("revokeKey", { path: { id } }),
};

const DELETE: BulkAction<Key> = {
  label: "Delete",
  done: "deleted",
  about: "Only keys that are not active and were never used can be deleted. This cannot be undone.",
  run: ({ id }) => call("removeKey", { path: { id } }),
};

export const KEY_ACTIONS: readonly BulkAction<Key>[] = [
  {
    label: "Pause",
    done: "paused",
    about: "Requests with these keys are rejected until you resume them.",
    weight: "primary",
    run: update({ paused: true }),
  },
  {
    label: "Resume",
    done: "resumed",
    about: "Requests with these keys are accepted again.",
    weight: "primary",
    run: update({ paused: false }),
  },
  {
    label: "Archive",
    done: "archived",
    about: "Archived keys are paused and hidden from the list. You can restore them.",
    weight: "primary",
    run: update({ archived: true }),
  },
  CHANGE_LIMITS,
  REVOKE,
  DELETE,
];

export const ARCHIVED_KEY_ACTIONS: readonly BulkAction<Key>[] = [
  {
    label: "Restore",
    done: "restored",
    about: "Restored keys are in the list again. They stay paused until you resume them.",
    weight: "primary",
    run: update({ archived: false }),
  },
  REVOKE,
  DELETE,
];

import { platformCommand } from "../../platform-command.ts";
import type { KeyView } from "../../views.ts";
import { inTime } from "../../words.ts";
import { KEY } from "./key-operand.ts";

export const revokeKey = platformCommand<KeyView & { readonly was_revoked_before: boolean }>({
  summary: "Revokes a key for good, from the next request on.",
  details: "An answer under way goes on. There is no way back: make another key.",
  examples: ["keys revoke 4fQ8sLm2XyZ1"],
  operands: [KEY],
  call: "DELETE /api/keys/{id}",
  print: ({ id, name, was_revoked_before: wasBefore, revoked_at: at }) =>
    wasBefore ? `${id} (${name}) was revoked before, at ${inTime(at!)} UTC.\n` : `Revoked ${id} (${name}).\n`,
});

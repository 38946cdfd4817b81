import { platformCommand } from "../../platform-command.ts";
import type { KeyView } from "../../views.ts";
import { KEY } from "./key-operand.ts";

export const revokeKey = platformCommand<KeyView>({
  summary: "Revokes a key for good, from the next request on.",
  details: "An answer under way goes on. There is no way back: make another key.",
  examples: ["keys revoke 4fQ8sLm2XyZ1"],
  operands: [KEY],
  call: "DELETE /api/keys/{id}",
  print: (key) => `Revoked ${key.id} (${key.name}).\n`,
});

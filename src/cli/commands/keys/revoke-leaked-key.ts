import { platformCommand } from "../../platform-command.ts";

export const revokeLeakedKey = platformCommand<{ readonly id: string }>({
  summary: "Revokes a key that has leaked, by the key itself. Whoever has found one may: no token is needed.",
  examples: ["keys revoke-leaked < found.txt", "printenv LEAKED_KEY | npx tollgate keys revoke-leaked"],
  stdin: { field: "key", what: "the key" },
  call: "POST /api/keys/revoke",
  isOpen: true,
  print: ({ id }) => `Revoked ${id}: what was sent opens nothing any more.\n`,
});

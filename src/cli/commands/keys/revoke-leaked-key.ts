import { platformCommand } from "../../platform-command.ts";

export const revokeLeakedKey = platformCommand<{ readonly id: string; readonly key_still_works: boolean }>({
  summary: "Revokes a key that has leaked, by the key itself. Whoever has found one may: no token is needed.",
  examples: ["keys revoke-leaked < found.txt", "printenv LEAKED_KEY | npx tollgate keys revoke-leaked"],
  stdin: { field: "key", what: "the key" },
  call: "POST /api/keys/revoke",
  isOpen: true,
  print: ({ id, key_still_works: worksOn }) =>
    worksOn
      ? `What was sent opens nothing any more. The key ${id} was rotated since, and works on as it is now.\n`
      : `Revoked ${id}: what was sent opens nothing any more.\n`,
});

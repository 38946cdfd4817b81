import { listCommand } from "../../list-command.ts";
import type { AccessTokenView } from "../../views.ts";
import { inDay } from "../../words.ts";
import { PERSON } from "./person-operand.ts";

export const listTokens = listCommand<AccessTokenView>({
  summary: "Lists a person's access tokens, newest first.",
  examples: ["people tokens 3fT9kQm2XyZ1"],
  operands: [PERSON],
  call: "GET /api/people/{id}/access-tokens",
  columns: [
    { heading: "ID", cell: ({ id }) => id },
    { heading: "STATE", cell: stateOfToken },
    { heading: "EXPIRES", cell: (token) => inDay(token.expires_at) },
    { heading: "LAST USED", cell: (token) => (token.last_used_at === null ? "never" : inDay(token.last_used_at)) },
    { heading: "SCOPES", cell: ({ scopes }) => scopes.join(","), isLong: true },
    { heading: "NAME", cell: ({ name }) => name, isLong: true },
  ],
});

/** One that was not revoked has ended with its date, or because its person was disabled. */
function stateOfToken(token: AccessTokenView): string {
  if (token.active) return "active";
  return token.revoked_at === null ? "ended" : "revoked";
}

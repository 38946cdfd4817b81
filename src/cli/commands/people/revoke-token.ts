import { platformCommand } from "../../platform-command.ts";
import type { AccessTokenView } from "../../views.ts";
import { PERSON } from "./person-operand.ts";

export const revokeToken = platformCommand<AccessTokenView>({
  summary: "Revokes a person's access token for good, from the next request on.",
  details: "Their other tokens and their sessions go on; people disable ends them all.",
  examples: ["people revoke-token 3fT9kQm2XyZ1 7gR2bVn5QwE8"],
  operands: [PERSON, { name: "TOKEN", meaning: "the token's id, as people tokens shows it" }],
  call: "DELETE /api/people/{id}/access-tokens/{tokenId}",
  print: ({ id, name }) => `Revoked ${id} (${name}).\n`,
});

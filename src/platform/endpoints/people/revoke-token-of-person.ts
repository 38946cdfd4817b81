import { operators } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { accessTokenSchema } from "../access-tokens/access-token-view.ts";
import { revokeTokenOf } from "../access-tokens/tokens-of.ts";
import { findPerson } from "./find-person.ts";

/** DELETE /api/people/:id/access-tokens/:tokenId: ends a token that has leaked, and not its person's work with it. */
export function revokeTokenOfPerson(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/people/:id/access-tokens/:tokenId",
    access: operators("people:write"),
    operationId: "revokeTokenOfPerson",
    summary: "Revokes a person's access token for good, from the next request on.",
    reply: { status: 200, description: "The token as it is now.", json: accessTokenSchema },
    run: (call) => revokeTokenOf(findPerson(call.param("id"), platform), call.param("tokenId"), call, platform),
  });
}

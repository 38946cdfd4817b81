import { operators } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { accessTokenSchema } from "../access-tokens/access-token-view.ts";
import { revokeTokenOf } from "../access-tokens/tokens-of.ts";
import { findPerson } from "./find-person.ts";

/** DELETE /api/people/:id/access-tokens/:tokenId: revokes a leaked token without affecting the person's other access. */
export function revokeTokenOfPerson(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/people/:id/access-tokens/:tokenId",
    access: operators("people:write"),
    operationId: "revokeTokenOfPerson",
    summary: "Revoke a person's access token permanently, from the next request on",
    reply: { status: 200, description: "The revoked token.", json: accessTokenSchema },
    run: (call) => revokeTokenOf(findPerson(call.param("id"), platform), call.param("tokenId"), call, platform),
  });
}

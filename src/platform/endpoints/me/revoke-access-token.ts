import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { accessTokenSchema } from "../access-tokens/access-token-view.ts";
import { revokeTokenOf } from "../access-tokens/tokens-of.ts";
import { findOneself } from "./find-own.ts";

/** DELETE /api/me/access-tokens/:id: the token stops working with the next request. Its record stays. */
export function revokeAccessToken(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/me/access-tokens/:id",
    access: "session",
    operationId: "revokeAccessToken",
    summary: "Revokes an access token for good, from the next request on.",
    reply: { status: 200, description: "The token as it is now.", json: accessTokenSchema },
    run: (call) => revokeTokenOf(findOneself(call.actor, platform), call.param("id"), call, platform),
  });
}

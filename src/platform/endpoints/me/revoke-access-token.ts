import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { accessTokenSchema } from "../access-tokens/access-token-view.ts";
import { revokeTokenOf } from "../access-tokens/tokens-of.ts";
import { findOneself } from "./find-own.ts";

/** DELETE /api/me/access-tokens/:id: revokes the token from the next request on. Its record stays. */
export function revokeAccessToken(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/me/access-tokens/:id",
    access: "session",
    operationId: "revokeAccessToken",
    summary: "Revoke an access token permanently, from the next request on",
    reply: { status: 200, description: "The revoked token.", json: accessTokenSchema },
    run: (call) => revokeTokenOf(findOneself(call.actor, platform), call.param("id"), call, platform),
  });
}

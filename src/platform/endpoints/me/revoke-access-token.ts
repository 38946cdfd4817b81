import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { accessTokenSchema, describeAccessToken, viewAccessToken } from "./access-token-view.ts";
import { findOwnAccessToken } from "./find-own.ts";

/** DELETE /api/me/access-tokens/:id: the token stops working with the next request. Its record stays. */
export function revokeAccessToken(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/me/access-tokens/:id",
    access: "session",
    operationId: "revokeAccessToken",
    summary: "Revokes an access token for good, from the next request on.",
    reply: { status: 200, description: "The token as it is now.", json: accessTokenSchema },
    async run({ actor, param, change }) {
      const token = findOwnAccessToken(param("id"), actor, platform);
      const revoked = { ...token, revokedAtMs: token.revokedAtMs ?? platform.nowMs() };
      const what = { before: describeAccessToken(token), after: describeAccessToken(revoked), accountId: actor.accountId };
      await platform.accessTokens.revoke(revoked, change("access_token.revoke", { kind: "access_token", id: token.id }, what));
      return Response.json(viewAccessToken(revoked, platform));
    },
  });
}

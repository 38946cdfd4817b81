import { operation, type Operation } from "../../operation.ts";
import { pageQuery, pageSchema } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { accessTokenSchema } from "../access-tokens/access-token-view.ts";
import { pageOfTokens } from "../access-tokens/tokens-of.ts";
import { findOneself } from "./find-own.ts";

/** GET /api/me/access-tokens: the actor's access tokens, expired and revoked ones included. */
export function listAccessTokens(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/me/access-tokens",
    access: "session",
    operationId: "listAccessTokens",
    summary: "List your access tokens, newest first",
    query: pageQuery,
    reply: { status: 200, description: "A page of access tokens.", json: pageSchema("AccessTokenPage", accessTokenSchema) },
    run: (call) => pageOfTokens(findOneself(call.actor, platform), call, platform),
  });
}

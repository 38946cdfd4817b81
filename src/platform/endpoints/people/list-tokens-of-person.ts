import { operators } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import { pageQuery, pageSchema } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { accessTokenSchema } from "../access-tokens/access-token-view.ts";
import { pageOfTokens } from "../access-tokens/tokens-of.ts";
import { findPerson } from "./find-person.ts";

/** GET /api/people/:id/access-tokens: the access tokens of a person. */
export function listTokensOfPerson(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/people/:id/access-tokens",
    access: operators("people:read"),
    operationId: "listTokensOfPerson",
    summary: "List a person's access tokens, newest first",
    query: pageQuery,
    reply: { status: 200, description: "A page of access tokens.", json: pageSchema("AccessTokenPage", accessTokenSchema) },
    run: (call) => pageOfTokens(findPerson(call.param("id"), platform), call, platform),
  });
}

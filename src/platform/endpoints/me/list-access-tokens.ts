import { operation, type Operation } from "../../operation.ts";
import { pageQuery, pageSchema, readPage, toPage, type PageQuery } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { accessTokenSchema, viewAccessToken } from "./access-token-view.ts";

/** GET /api/me/access-tokens: one's access tokens, also those that work no more. */
export function listAccessTokens(platform: Platform): Operation {
  return operation<undefined, PageQuery>({
    method: "GET",
    path: "/api/me/access-tokens",
    access: "session",
    operationId: "listAccessTokens",
    summary: "Lists one's access tokens, newest first.",
    query: pageQuery,
    reply: { status: 200, description: "A page of access tokens.", json: pageSchema("AccessTokenPage", accessTokenSchema) },
    run({ actor, query }) {
      const { limit, after } = readPage(query, ["string"]);
      const tokens = platform.accessTokens.listOf(actor.personId!);
      const from = after === undefined ? 0 : tokens.findIndex(({ id }) => id === after[0]) + 1;
      return toPage(
        tokens.slice(from),
        limit,
        (token) => viewAccessToken(token, platform),
        ({ id }) => [id],
      );
    },
  });
}

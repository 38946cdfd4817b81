import type { AccessToken } from "../../../access/access-token.ts";
import type { Person } from "../../../access/person.ts";
import type { Call } from "../../operation.ts";
import { readPage, toPage, type PageQuery } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { unknownId } from "../fields/unknown-id.ts";
import { describeAccessToken, viewAccessToken } from "./access-token-view.ts";

/** Access tokens of one person, managed by themselves or by an operator. */

/** A page of tokens, newest first, expired and revoked ones included. */
export function pageOfTokens({ id: personId }: Person, { query, cursors }: Call<unknown, PageQuery>, platform: Platform) {
  const { limit, after } = readPage(query, cursors, ["string"]);
  const tokens = platform.accessTokens.listOf(personId);
  const from = after === undefined ? 0 : tokens.findIndex(({ id }) => id === after[0]) + 1;
  return toPage(
    cursors,
    tokens.slice(from),
    limit,
    (token) => viewAccessToken(token, platform),
    ({ id }) => [id],
  );
}

/** Revokes a token and returns it. Another person's token is reported as not found. */
export async function revokeTokenOf(person: Person, id: string, { change }: Pick<Call, "change">, platform: Platform) {
  const { record } = await platform.accessTokens.revoke(id, (current) => {
    const token = existingTokenOf(person, current, id);
    const revoked = { ...token, revokedAtMs: token.revokedAtMs ?? platform.nowMs() };
    const what = { before: describeAccessToken(token), after: describeAccessToken(revoked), accountId: person.accountId };
    return { record: revoked, change: change("access_token.revoke", { kind: "access_token", id }, what) };
  });
  return viewAccessToken(record, platform);
}

/** Finds a token by its id. */
export function findTokenOf(person: Person, id: string, platform: Platform): AccessToken {
  return existingTokenOf(person, platform.accessTokens.find(id), id);
}

function existingTokenOf(person: Person, token: AccessToken | undefined, id: string): AccessToken {
  if (token && token.personId === person.id) return token;
  throw unknownId("unknown_access_token", "access token", id);
}

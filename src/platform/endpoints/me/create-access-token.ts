import type { Scope } from "../../../access/access.ts";
import { issueAccessToken } from "../../../access/access-token.ts";
import { GatewayError } from "../../../requests/gateway-error.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { nameSchema } from "../../../lib/schema/name-schema.ts";
import { readFutureTime } from "../fields/times.ts";
import { accessTokenSchema, describeAccessToken, scopesSchema, viewAccessToken } from "../access-tokens/access-token-view.ts";
import { findTokenOf } from "../access-tokens/tokens-of.ts";
import { findOneself } from "./find-own.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

/** A leap year's worth, so that a date one year from now always fits. */
const LONGEST_MS = 366 * 24 * 60 * 60 * 1000;

interface CreateAccessTokenRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expires_at: string;
}

const newAccessTokenSchema: Schema = {
  ...accessTokenSchema,
  title: "NewAccessToken",
  required: [...accessTokenSchema.required!, "token"],
  properties: {
    ...accessTokenSchema.properties,
    token: { type: "string", nullable: true, description: "The token itself: shown once, in the reply that made it." },
  },
};

/** POST /api/me/access-tokens: a token for a program that acts for this person. It takes a browser, so no token can beget another. */
export function createAccessToken(platform: Platform): Operation {
  return operation<CreateAccessTokenRequest>({
    method: "POST",
    path: "/api/me/access-tokens",
    access: "session",
    operationId: "createAccessToken",
    summary: "Makes an access token. The token itself is in this reply and nowhere else.",
    body: {
      title: "CreateAccessTokenRequest",
      type: "object",
      additionalProperties: false,
      required: ["name", "scopes", "expires_at"],
      properties: {
        name: { ...nameSchema, description: "What the token is for." },
        scopes: scopesSchema,
        expires_at: { type: "string", description: "When it stops working, as in 2027-01-31T00:00:00Z. At most a year from now." },
      },
    },
    reply: { status: 201, description: "The token.", json: newAccessTokenSchema },
    async run({ actor, body, change }) {
      const nowMs = platform.nowMs();
      const wanted = { name: body.name, scopes: [...new Set(body.scopes)], expiresAtMs: readExpiry(body.expires_at, nowMs) };
      const { token, record } = issueAccessToken(findOneself(actor, platform), wanted, platform.hashSecret, nowMs);
      const what = { before: null, after: describeAccessToken(record), accountId: actor.accountId };
      await platform.accessTokens.add(record, change("access_token.create", { kind: "access_token", id: record.id }, what));
      return Reply.json({ ...viewAccessToken(record, platform), token: token.reveal() }, { status: 201 });
    },
    showCreated: (id, { actor }) =>
      Reply.json({ ...viewAccessToken(findTokenOf(findOneself(actor, platform), id, platform), platform), token: null }),
  });
}

function readExpiry(text: string, nowMs: number): number {
  const ms = readFutureTime(text, "expires_at", nowMs);
  if (ms <= nowMs + LONGEST_MS) return ms;
  throw new GatewayError("invalid_value", "expires_at must be within a year from now.", { param: "expires_at" });
}

import { issueAccessToken } from "../../../access/access-token.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { nameSchema } from "../../../lib/schema/name-schema.ts";
import {
  accessTokenSchema,
  describeAccessToken,
  expirySchema,
  readExpiry,
  scopesSchema,
  viewAccessToken,
} from "../access-tokens/access-token-view.ts";
import { findTokenOf } from "../access-tokens/tokens-of.ts";
import { findOneself } from "./find-own.ts";

const newAccessTokenSchema = {
  ...accessTokenSchema,
  title: "NewAccessToken",
  required: [...accessTokenSchema.required, "token"],
  properties: {
    ...accessTokenSchema.properties,
    token: { type: "string", nullable: true, description: "The plaintext token, shown only once, in the reply that created it." },
  },
} as const satisfies Schema;

/**
 * POST /api/me/access-tokens: creates a token for a program that acts for this person. It requires a session, so that no token can create
 * another.
 */
export function createAccessToken(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/me/access-tokens",
    access: "session",
    operationId: "createAccessToken",
    summary: "Create an access token. The plaintext token is shown only in this reply.",
    body: {
      title: "CreateAccessTokenRequest",
      type: "object",
      additionalProperties: false,
      required: ["name", "scopes", "expires_at"],
      properties: {
        name: { ...nameSchema, description: "The purpose of the token." },
        scopes: scopesSchema,
        expires_at: expirySchema,
      },
    },
    reply: { status: 201, description: "The token.", json: newAccessTokenSchema },
    async run({ actor, body, change }) {
      const nowMs = platform.nowMs();
      const wanted = { name: body.name, scopes: [...new Set(body.scopes)], expiresAtMs: readExpiry(body.expires_at, nowMs) };
      const { token, record } = issueAccessToken(findOneself(actor, platform), wanted, platform.hashSecret, nowMs);
      const what = { before: null, after: describeAccessToken(record), accountId: actor.accountId };
      await platform.accessTokens.add(record, change("access_token.create", { kind: "access_token", id: record.id }, what));
      return { ...viewAccessToken(record, platform), token: token.reveal() };
    },
    showCreated: (id, { actor }) => ({
      ...viewAccessToken(findTokenOf(findOneself(actor, platform), id, platform), platform),
      token: null,
    }),
  });
}

import type { Endpoint } from "../../http/endpoint.ts";
import { readJson } from "../../http/read-json.ts";
import { DEFAULT_ACCOUNT } from "../../vocabulary/account.ts";
import { issueKey } from "../../vocabulary/api-key.ts";
import { MODEL_PATTERN } from "../../vocabulary/catalog.ts";
import { GatewayError, refuseViolation } from "../../vocabulary/gateway-error.ts";
import { parseIsoDate } from "../../vocabulary/iso-date.ts";
import { findViolation, type Schema } from "../../vocabulary/schema.ts";
import type { Platform } from "../platform.ts";
import { viewKey } from "./key-view.ts";
import { capsSchema, limitsSchema, readCaps, readLimits, type WireCaps, type WireLimits } from "./limits-and-caps.ts";
import { nameSchema } from "./name-schema.ts";

const MAX_BODY_BYTES = 64 * 1024;

export const modelsSchema: Schema = {
  type: "array",
  minItems: 1,
  maxItems: 1000,
  items: { type: "string", maxLength: 200, pattern: MODEL_PATTERN, patternInWords: "a model id, a beginning such as gpt-*, or *" },
  description: "The models it may call: ids, prefixes such as `gpt-*`, or `*`.",
};

const requestSchema: Schema = {
  type: "object",
  additionalProperties: false,
  required: ["name", "models"],
  properties: {
    name: { ...nameSchema, description: "What the key is for." },
    models: modelsSchema,
    account: { type: "string", description: "The id of the account that pays for it; `default`, if it is left out." },
    limits: limitsSchema,
    caps: capsSchema,
    expires_at: { type: "string", nullable: true, description: "When it stops working, as in 2027-01-31T00:00:00Z." },
  },
};

interface CreateKeyRequest {
  readonly name: string;
  readonly models: string[];
  readonly account?: string | null;
  readonly limits?: WireLimits | null;
  readonly caps?: WireCaps | null;
  readonly expires_at?: string | null;
}

/** POST /api/keys: makes a key. Its text is in this reply and nowhere else, ever. */
export function createKey(platform: Platform): Endpoint {
  return {
    method: "POST",
    path: "/api/keys",
    async handle({ request }) {
      const { value } = await readJson(request, MAX_BODY_BYTES);
      refuseViolation(findViolation(requestSchema, value));
      const { name, models, account, limits, caps, expires_at: expiresAt } = value as unknown as CreateKeyRequest;
      const nowMs = platform.nowMs();
      const wanted = {
        name,
        accountId: requireAccount(account ?? DEFAULT_ACCOUNT, platform),
        models,
        limits: readLimits(limits),
        caps: readCaps(caps),
        expiresAtMs: expiresAt == null ? null : readExpiry(expiresAt, nowMs),
      };
      const { key, record } = issueKey(wanted, platform.hashSecret, nowMs);
      await platform.keys.add(record);
      return Response.json({ ...viewKey(record, platform), key: key.reveal() }, { status: 201 });
    },
  };
}

function requireAccount(id: string, platform: Platform): string {
  if (platform.accounts.find(id)) return id;
  throw new GatewayError("invalid_value", `account must be the id of an account, and there is no ${JSON.stringify(id)}.`, {
    param: "account",
  });
}

function readExpiry(text: string, nowMs: number): number {
  const ms = parseIsoDate(text);
  if (ms === undefined) {
    throw new GatewayError("invalid_value", "expires_at must be a date such as 2027-01-31 or 2027-01-31T12:00:00Z.", {
      param: "expires_at",
    });
  }
  if (ms <= nowMs) throw new GatewayError("invalid_value", "expires_at must be in the future.", { param: "expires_at" });
  return ms;
}

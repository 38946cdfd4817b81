import type { Endpoint } from "../../http/endpoint.ts";
import { readJson } from "../../http/read-json.ts";
import { GatewayError, refuseViolation } from "../../vocabulary/gateway-error.ts";
import type { CreditEntry } from "../../vocabulary/ledger-entry.ts";
import { formatDollars, parseDollars } from "../../vocabulary/money.ts";
import { findViolation, type Schema } from "../../vocabulary/schema.ts";
import type { Platform } from "../platform.ts";
import { findAccount } from "./account-view.ts";
import { viewEntry } from "./entry-view.ts";
import { dollarsSchema } from "./limits-and-caps.ts";

const MAX_BODY_BYTES = 64 * 1024;

function requestSchema(amount: Schema): Schema {
  const text: Schema = {
    type: "string",
    minLength: 1,
    maxLength: 200,
    // Half of a surrogate pair cannot be kept as it is: two references that differ in one would become the same.
    pattern: "^[^\\p{Cc}\\p{Cs}]*$",
    patternInWords: "text without control characters",
  };
  return {
    type: "object",
    additionalProperties: false,
    required: ["amount", "reference", "reason"],
    properties: {
      amount,
      reference: { ...text, description: "Your own name for it, such as an invoice number. The same one again adds nothing." },
      reason: { ...text, description: "Why." },
    },
  };
}

const signedDollarsSchema: Schema = { ...dollarsSchema, pattern: `^-?${dollarsSchema.pattern!.slice(1)}` };

/** POST /api/accounts/:id/grants: gives credit. */
export function grantCredit(platform: Platform): Endpoint {
  return creditEndpoint("grant", "/api/accounts/:id/grants", requestSchema(dollarsSchema), platform);
}

/** POST /api/accounts/:id/adjustments: puts credit right, up or down. The entries it corrects stay as they are. */
export function adjustCredit(platform: Platform): Endpoint {
  return creditEndpoint("adjustment", "/api/accounts/:id/adjustments", requestSchema(signedDollarsSchema), platform);
}

function creditEndpoint(kind: CreditEntry["kind"], path: string, schema: Schema, platform: Platform): Endpoint {
  return {
    method: "POST",
    path,
    async handle({ request }) {
      const account = findAccount((request.params as { id: string }).id, platform);
      const { value } = await readJson(request, MAX_BODY_BYTES);
      refuseViolation(findViolation(schema, value));
      const { amount, reference, reason } = value as { amount: string; reference: string; reason: string };
      const amountNanos = parseDollars(amount);
      if (!amountNanos) throw new GatewayError("invalid_value", "amount must not be 0.", { param: "amount" });
      const credit = { kind, accountId: account.id, amountNanos, atMs: platform.nowMs(), actor: "operator", reason, reference };
      const { entry, isNew } = await platform.ledger.addCredit(credit);
      if (entry.kind !== kind || entry.amountNanos !== amountNanos) throw alreadyUsed(entry);
      return Response.json(viewEntry(entry), { status: isNew ? 201 : 200 });
    },
  };
}

function alreadyUsed({ kind, amountNanos, reference }: CreditEntry): GatewayError {
  const message = `The reference ${JSON.stringify(reference)} was used for ${kind === "grant" ? "a grant" : "an adjustment"} of $${formatDollars(amountNanos)}.`;
  return new GatewayError("invalid_value", message, { param: "reference" });
}

import type { Endpoint } from "../../http/endpoint.ts";
import { readJson } from "../../http/read-json.ts";
import { ACCOUNT_ID, makeAccount } from "../../vocabulary/account.ts";
import { GatewayError, refuseViolation } from "../../vocabulary/gateway-error.ts";
import { findViolation, type Schema } from "../../vocabulary/schema.ts";
import type { Platform } from "../platform.ts";
import { viewAccount } from "./account-view.ts";
import { capsSchema, limitsSchema, readCaps, readLimits, type WireCaps, type WireLimits } from "./limits-and-caps.ts";
import { nameSchema } from "./name-schema.ts";

const MAX_BODY_BYTES = 64 * 1024;

const requestSchema: Schema = {
  type: "object",
  additionalProperties: false,
  required: ["id", "name"],
  properties: {
    id: {
      type: "string",
      pattern: ACCOUNT_ID,
      patternInWords: "1 to 63 of a-z, 0-9, dot, dash and underscore, with a letter or digit first",
    },
    name: nameSchema,
    limits: limitsSchema,
    caps: capsSchema,
  },
};

interface CreateAccountRequest {
  readonly id: string;
  readonly name: string;
  readonly limits?: WireLimits | null;
  readonly caps?: WireCaps | null;
}

/** POST /api/accounts: makes an account, without credit. */
export function createAccount(platform: Platform): Endpoint {
  return {
    method: "POST",
    path: "/api/accounts",
    async handle({ request }) {
      const { value } = await readJson(request, MAX_BODY_BYTES);
      refuseViolation(findViolation(requestSchema, value));
      const { id, name, limits, caps } = value as unknown as CreateAccountRequest;
      if (platform.accounts.find(id)) throw new GatewayError("invalid_value", `There is an account ${id} already.`, { param: "id" });
      const account = { ...makeAccount(id, name, platform.nowMs()), limits: readLimits(limits), caps: readCaps(caps) };
      await platform.accounts.put(account);
      return Response.json(viewAccount(account, platform), { status: 201 });
    },
  };
}

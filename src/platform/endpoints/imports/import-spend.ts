import type { Infer } from "../../../lib/schema/infer.ts";
import { operators } from "../../../access/access.ts";
import type { Account } from "../../../access/account.ts";
import { describeAccount } from "../../../access/declared-account.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { carriedSpendSchema, readCarried } from "../../../money/carried-spend.ts";
import type { Carried } from "../../../money/limits.ts";
import { withCarried } from "../../../money/declared-limits.ts";
import { operation, type Call, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { existingAccount } from "../accounts/find-account.ts";
import { readTime } from "../fields/times.ts";
import { refuseForeign } from "../fields/managed-by.ts";

const MAX_ACCOUNTS = 200;

const spendSchema = {
  title: "ImportedSpend",
  type: "object",
  additionalProperties: false,
  required: ["id", "carried_spend"],
  properties: {
    id: { type: "string", pattern: "^[a-z0-9._-]{1,100}$", patternInWords: "the id of an account", description: "The id of the account." },
    carried_spend: carriedSpendSchema,
  },
} as const satisfies Schema;

const requestSchema = {
  title: "ImportSpendRequest",
  type: "object",
  additionalProperties: false,
  required: ["accounts"],
  properties: { accounts: { type: "array", minItems: 1, maxItems: MAX_ACCOUNTS, items: spendSchema } },
} as const satisfies Schema;

type ImportSpendRequest = Infer<typeof requestSchema>;

/** POST /api/imports/spend: carries the spend of the current period over, of accounts that were imported. That of keys comes with them. */
export function importSpend(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/imports/spend",
    access: operators("accounts:write"),
    operationId: "importSpend",
    summary: "Carry the spend of accounts at another gateway over. It replaces what was carried over before.",
    body: requestSchema,
    maxBodyBytes: 128 * 1024,
    reply: {
      status: 200,
      description: "Whether each account has changed, in the order of the request.",
      json: {
        title: "ImportedSpends",
        type: "object",
        required: ["changed"],
        properties: { changed: { type: "array", items: { type: "boolean" } } },
      },
    },
    async run(call) {
      const spends = call.body.accounts.map(({ id, carried_spend: wire }, at) => ({
        id,
        carried: readCarried(wire, (text) => readTime(text, `accounts[${at}].carried_spend`)),
      }));
      const changed: boolean[] = [];
      for (const { id, carried } of spends) changed.push(await carryOver(id, carried, call, platform));
      return { changed };
    },
  });
}

async function carryOver(id: string, carried: Carried | undefined, call: Call<ImportSpendRequest>, platform: Platform): Promise<boolean> {
  const made = await platform.accounts.update(id, (current) => {
    refuseForeign("account", id, platform.accounts.originOf(id), platform);
    const account = existingAccount(current, id, call.actor);
    if (Bun.deepEquals(account.caps.carried, carried)) return undefined;
    const { carried: _before, ...caps } = account.caps;
    const record: Account = { ...account, caps: withCarried(caps, carried) };
    const what = { before: describeAccount(account), after: describeAccount(record), accountId: id };
    return { record, change: call.change("account.update", { kind: "account", id }, what) };
  });
  return made !== undefined;
}

import { operators } from "../../../access/access.ts";
import { ApiError } from "../../../requests/api-error.ts";
import type { CreditEntry } from "../../../money/ledger-entry.ts";
import { formatDollars, parseDollars } from "../../../money/money.ts";
import { plainTextSchema } from "../../../lib/schema/plain-text.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findAccount, refuseArchived } from "../accounts/find-account.ts";
import { dollarsSchema } from "../../../money/declared-limits.ts";
import { entrySchema, viewEntry } from "./entry-view.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

function requestSchema<const Amount extends Schema & { readonly type: "string" }>(title: string, amount: Amount) {
  const text = { ...plainTextSchema, minLength: 1, maxLength: 200 } as const satisfies Schema;
  return {
    title,
    type: "object",
    additionalProperties: false,
    required: ["amount", "reference", "reason"],
    properties: {
      amount,
      reference: { ...text, description: "Your reference, such as an invoice number. Repeating it adds nothing." },
      reason: { ...text, description: "The reason, shown in the ledger entry." },
    },
  } as const satisfies Schema;
}

const signedDollarsSchema = { ...dollarsSchema, pattern: `^-?${dollarsSchema.pattern.slice(1)}` } as const satisfies Schema;

/** POST /api/accounts/:id/grants: grants credit. */
export function grantCredit(platform: Platform): Operation {
  return creditOperation(platform, {
    kind: "grant",
    path: "/api/accounts/:id/grants",
    operationId: "grantCredit",
    summary: "Grant credit to an account",
    body: requestSchema("GrantRequest", dollarsSchema),
  });
}

/** POST /api/accounts/:id/adjustments: corrects credit, up or down. The corrected entries stay unchanged. */
export function adjustCredit(platform: Platform): Operation {
  return creditOperation(platform, {
    kind: "adjustment",
    path: "/api/accounts/:id/adjustments",
    operationId: "adjustCredit",
    summary: "Adjust an account's credit, up or down",
    body: requestSchema("AdjustmentRequest", signedDollarsSchema),
  });
}

type CreditOperation = Pick<Operation, "path" | "operationId" | "summary"> & {
  readonly kind: CreditEntry["kind"];
  readonly body: ReturnType<typeof requestSchema<typeof dollarsSchema | typeof signedDollarsSchema>>;
};

function creditOperation(platform: Platform, { kind, ...described }: CreditOperation): Operation {
  return operation({
    ...described,
    method: "POST",
    access: operators("credits:write"),
    reply: {
      status: 201,
      description: "The entry.",
      repeated: "The earlier entry, when the reference was used before.",
      json: entrySchema,
    },
    async run({ actor, body: { amount, reference, reason }, param, change }) {
      const accountId = refuseArchived(findAccount(param("id"), actor, platform)).id;
      const amountNanos = parseDollars(amount);
      if (!amountNanos) throw new ApiError("invalid_value", "amount must not be 0.", { param: "amount" });
      const credit = { kind, accountId, amountNanos, atMs: platform.nowMs(), actor: actor.id, reason, reference };
      const { entry, isNew } = await platform.ledgerRecords.addCredit(credit, (added) =>
        change(`credit.${kind}`, { kind: "account", id: accountId }, { before: null, after: viewEntry(added, actor), accountId }),
      );
      if (entry.kind !== kind || entry.amountNanos !== amountNanos) throw alreadyUsed(entry);
      return Reply.json(viewEntry(entry, actor), { status: isNew ? 201 : 200 });
    },
  });
}

function alreadyUsed({ kind, amountNanos, reference }: CreditEntry): ApiError {
  const message = `The reference ${JSON.stringify(reference)} was already used for ${kind === "grant" ? "a grant" : "an adjustment"} of $${formatDollars(amountNanos)}.`;
  return new ApiError("invalid_value", message, { param: "reference" });
}

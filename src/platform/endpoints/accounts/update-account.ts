import type { Schema } from "../../../lib/schema/schema.ts";
import type { Infer } from "../../../lib/schema/infer.ts";
import { operators } from "../../../access/access.ts";
import type { Account } from "../../../access/account.ts";
import { attributionProperties, changeAttribution } from "../../../access/attribution-settings.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { previewChange } from "../../preview/change-preview.ts";
import { effectsOf, type ModelEffect } from "../../preview/simulate-price-change.ts";
import { simulateKeyChange } from "../../preview/simulate-key-change.ts";
import { describeAccount, logBodiesSchema, priceListOfAccountSchema, showCreditSchema } from "../../../access/declared-account.ts";
import { capsSchema, changeCaps, changeLimits, limitsSchema, lowCreditSchema, readDollars } from "../../../money/declared-limits.ts";
import { creditLineSchema, readCreditLine } from "../../../money/credit-line.ts";
import { modelsSchema } from "../../../models/models-schema.ts";
import { nameSchema } from "../../../lib/schema/name-schema.ts";
import { refuseKeysWithout, refuseWithoutAttribution } from "../fields/refuse-without-attribution.ts";
import { since } from "../fields/since.ts";
import { refuseForeign } from "../fields/managed-by.ts";
import { accountSchema, viewAccount } from "./account-view.ts";
import { readPriceList } from "./price-list-of.ts";
import { existingAccount, findAccount, refuseDefault } from "./find-account.ts";

const requestSchema = {
  title: "UpdateAccountRequest",
  type: "object",
  additionalProperties: false,
  properties: {
    name: nameSchema,
    models: modelsSchema,
    limits: limitsSchema,
    caps: capsSchema,
    credit_line: creditLineSchema,
    low_credit: lowCreditSchema,
    log_bodies: logBodiesSchema,
    ...attributionProperties,
    show_credit: showCreditSchema,
    price_list: priceListOfAccountSchema,
    archived: { type: "boolean", description: "Whether it is archived: hidden from lists, and its keys are rejected." },
  },
} as const satisfies Schema;

type AccountChanges = Infer<typeof requestSchema>;

/** PATCH /api/accounts/:id: updates the given fields. Takes effect with the next request. */
export function updateAccount(platform: Platform): Operation {
  return operation({
    method: "PATCH",
    path: "/api/accounts/:id",
    access: operators("accounts:write"),
    operationId: "updateAccount",
    summary: "Update an account. Only the given fields change, from the next request on.",
    body: requestSchema,
    reply: { status: 200, description: "The updated account.", json: accountSchema },
    async run({ actor, body, param, change }) {
      const id = param("id");
      const { record } = await platform.accounts.update(id, (current) => {
        refuseForeign("account", id, platform.accounts.originOf(id), platform);
        const account = existingAccount(current, id, actor);
        const changed = changeAccount(account, body, platform);
        const what = { before: describeAccount(account), after: describeAccount(changed), accountId: id };
        return { record: changed, change: change("account.update", { kind: "account", id }, what) };
      });
      return viewAccount(record, platform);
    },
    preview(call) {
      const account = findAccount(call.param("id"), call.actor, platform);
      const changed = changeAccount(account, call.body, platform);
      const { id } = account;
      const who = { scope: "account", id, accountId: id } as const;
      return previewChange(simulateKeyChange(who, account, changed, platform, effectsOfList(account, changed, platform)), call, platform);
    },
  });
}

/** The effect of another price list on each model. */
function effectsOfList(before: Account, after: Account, { catalog, nowMs }: Platform): ReadonlyMap<string, ModelEffect> {
  if (before.priceList === after.priceList) return new Map();
  return effectsOf(catalog.snapshot(before.priceList), catalog.snapshot(after.priceList), nowMs());
}

/** The account with the changes. Throws a 400 for changes that do not fit the account or its keys, in a preview too. */
function changeAccount(account: Account, changes: AccountChanges, platform: Platform): Account {
  const { name, models, limits, caps, low_credit: lowCredit, log_bodies: logBodies, price_list: priceList } = changes;
  const changed: Account = {
    ...account,
    name: name ?? account.name,
    models: models ?? account.models,
    limits: changeLimits(account.limits, limits),
    caps: changeCaps(account.caps, caps),
    creditLine: changes.credit_line === undefined ? account.creditLine : readCreditLine(changes.credit_line),
    lowCreditNanos: lowCredit === undefined ? account.lowCreditNanos : readDollars(lowCredit),
    logBodies: logBodies ?? account.logBodies,
    attribution: changeAttribution(account.attribution, changes),
    showCredit: changes.show_credit ?? account.showCredit,
    priceList: priceList === undefined ? account.priceList : readPriceList(priceList, platform),
    archivedAtMs: since(changes.archived, account.archivedAtMs, platform.nowMs()),
  };
  refuseDefault(changed);
  refuseWithoutAttribution(changed, changed.attribution);
  refuseKeysWithout(changed, platform);
  return changed;
}

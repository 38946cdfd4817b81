import { operators } from "../../../access/access.ts";
import { makeAccount } from "../../../access/account.ts";
import { ApiError } from "../../../requests/api-error.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { attributionProperties, changeAttribution } from "../../../access/attribution-settings.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import {
  accountIdSchema,
  describeAccount,
  logBodiesSchema,
  priceListOfAccountSchema,
  showCreditSchema,
} from "../../../access/declared-account.ts";
import { capsSchema, limitsSchema, lowCreditSchema, readCaps, readDollars, readLimits } from "../../../money/declared-limits.ts";
import { creditLineSchema, readCreditLine } from "../../../money/credit-line.ts";
import { modelsSchema } from "../../../models/models-schema.ts";
import { nameSchema } from "../../../lib/schema/name-schema.ts";
import { refuseWithoutAttribution } from "../fields/refuse-without-attribution.ts";
import { accountSchema, viewAccount } from "./account-view.ts";
import { readPriceList } from "./price-list-of.ts";
import { unknownModelsIn, unknownModelsSchema } from "../models/find-model.ts";
import { findAccount } from "./find-account.ts";

const requestSchema = {
  title: "CreateAccountRequest",
  type: "object",
  additionalProperties: false,
  required: ["id", "name"],
  properties: {
    id: accountIdSchema,
    name: nameSchema,
    models: {
      ...modelsSchema,
      description: "The models that its keys may call, further restricted by each key's own list. Default: all models.",
    },
    limits: limitsSchema,
    caps: capsSchema,
    credit_line: creditLineSchema,
    low_credit: lowCreditSchema,
    log_bodies: logBodiesSchema,
    ...attributionProperties,
    show_credit: showCreditSchema,
    price_list: priceListOfAccountSchema,
  },
} as const satisfies Schema;

const newAccountSchema = {
  ...accountSchema,
  title: "NewAccount",
  properties: { ...accountSchema.properties, unknown_models: unknownModelsSchema },
} as const satisfies Schema;

/** POST /api/accounts: creates an account without credit. */
export function createAccount(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/accounts",
    access: operators("accounts:write"),
    operationId: "createAccount",
    summary: "Create an account. It has no credit yet.",
    body: requestSchema,
    reply: { status: 201, description: "The account.", json: newAccountSchema },
    async run({ actor, body, change }) {
      const { id, name, models, limits, caps, low_credit: lowCredit, log_bodies: logBodies, price_list: priceList } = body;
      const { record } = await platform.accounts.update(id, (current) => {
        if (current) throw new ApiError("already_exists", `The account ${id} already exists.`, { param: "id" });
        const made = makeAccount(id, name, platform.nowMs());
        const account = {
          ...made,
          models: models ?? made.models,
          limits: readLimits(limits),
          caps: readCaps(caps),
          creditLine: readCreditLine(body.credit_line),
          lowCreditNanos: readDollars(lowCredit),
          logBodies: logBodies ?? false,
          attribution: changeAttribution(made.attribution, body),
          showCredit: body.show_credit ?? made.showCredit,
          priceList: readPriceList(priceList ?? null, platform),
        };
        refuseWithoutAttribution(account, account.attribution);
        const what = { before: null, after: describeAccount(account), accountId: id };
        return { record: account, change: change("account.create", { kind: "account", id }, what) };
      });
      const unknown = unknownModelsIn(record.models, actor, platform);
      return { ...viewAccount(record, platform), unknown_models: unknown };
    },
    showCreated(id, { actor }) {
      const account = findAccount(id, actor, platform);
      return { ...viewAccount(account, platform), unknown_models: unknownModelsIn(account.models, actor, platform) };
    },
  });
}

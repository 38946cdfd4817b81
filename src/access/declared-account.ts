import type { Infer } from "../lib/schema/infer.ts";
import { ACCOUNT_ID, type Account } from "./account.ts";
import { viewCarried } from "../money/carried-spend.ts";
import {
  capsSchemaOf,
  dollarsSchema,
  limitsSchema,
  readCaps,
  readDollars,
  readLimits,
  viewCaps,
  viewDollars,
  viewLimits,
  type WireCaps,
} from "../money/declared-limits.ts";
import { attributionProperties, changeAttribution, PLAIN_ATTRIBUTION, viewAttribution } from "./attribution-settings.ts";
import { partWithoutAttribution, WITHOUT_ATTRIBUTION } from "./breakdown-settings.ts";
import { creditLineSchema, readCreditLine, viewCreditLine } from "../money/credit-line.ts";
import { modelsSchema } from "../models/models-schema.ts";
import { priceListIdSchema } from "../models/prices/declared-price-list.ts";
import { nameSchema } from "../lib/schema/name-schema.ts";
import { isObject, type Fail, type Path, type Schema } from "../lib/schema/schema.ts";

export const accountIdSchema = {
  type: "string",
  pattern: ACCOUNT_ID,
  patternInWords: "1 to 63 of a-z, 0-9, dot, dash and underscore, with a letter or digit first",
} as const satisfies Schema;

export const logBodiesSchema = {
  type: "boolean",
  description: "Prompt and response logging: whether the request log stores the bodies of requests and responses. Off by default.",
} as const satisfies Schema;

export const showCreditSchema = {
  type: "boolean",
  description:
    "Whether the holders of its keys see its remaining credit and spend caps, which show what other keys spend: in response headers, in the key's usage, in dry runs and in 402 errors. On by default.",
} as const satisfies Schema;

export const priceListOfAccountSchema = {
  ...priceListIdSchema,
  nullable: true,
  description: "The id of its price list; null where it pays the base prices of the models.",
} as const satisfies Schema;

/** In a config file an amount may be unquoted: its digits are read exactly. */
const fileDollarsSchema = { nullable: true, oneOf: [{ type: "number", minimum: 0 }, dollarsSchema] } as const satisfies Schema;

const fileCreditLineSchema = { nullable: true, oneOf: [{ type: "number", minimum: 0 }, creditLineSchema] } as const satisfies Schema;

/** An account in a config file. */
export const declaredAccountSchema = {
  type: "object",
  additionalProperties: false,
  required: ["id", "name"],
  properties: {
    id: accountIdSchema,
    name: nameSchema,
    models: modelsSchema,
    limits: limitsSchema,
    caps: capsSchemaOf(fileDollarsSchema),
    credit_line: fileCreditLineSchema,
    low_credit: fileDollarsSchema,
    log_bodies: logBodiesSchema,
    ...attributionProperties,
    show_credit: showCreditSchema,
    price_list: priceListOfAccountSchema,
  },
} as const satisfies Schema;

type FileDollars = number | string | null;

/** Spend caps in a config file. */
interface FileCaps {
  readonly [name: string]: FileDollars | FileCaps;
}

type DeclaredAccount = Infer<typeof declaredAccountSchema>;

/** The declared settings of an account, without its credit, keys and members. */
export type AccountTerms = Omit<Account, "createdAtMs">;

/** The parsed declaration. */
export function toTerms(declared: DeclaredAccount, fail: Fail): AccountTerms {
  const { id, name, models = ["*"], limits, caps = {}, low_credit: lowCredit, log_bodies: logBodies = false } = declared;
  const lowCreditNanos = readDollars(asText(lowCredit, ["low_credit"], fail));
  const terms: AccountTerms = {
    id,
    name,
    models,
    limits: readLimits(limits),
    caps: readCaps(capsAsText(caps, ["caps"], fail)),
    creditLine: readCreditLine(asText(declared.credit_line, ["credit_line"], fail)),
    lowCreditNanos,
    logBodies,
    attribution: changeAttribution(PLAIN_ATTRIBUTION, declared),
    showCredit: declared.show_credit ?? true,
    priceList: declared.price_list ?? null,
    archivedAtMs: null,
  };
  const unattributed = partWithoutAttribution(terms, terms.attribution);
  if (unattributed) fail(unattributed, WITHOUT_ATTRIBUTION);
  return terms;
}

/** Amounts that are not quoted as text, at any depth. */
function capsAsText(caps: FileCaps, path: Path, fail: Fail): WireCaps {
  const texts = Object.entries(caps).map(([name, value]) => {
    const at = [...path, name];
    return [name, isObject(value) ? capsAsText(value, at, fail) : asText(value, at, fail)];
  });
  return Object.fromEntries(texts) as WireCaps;
}

function asText(amount: FileDollars | undefined, path: Path, fail: Fail): string | null {
  if (typeof amount !== "number") return amount ?? null;
  const text = String(amount);
  return new RegExp(dollarsSchema.pattern).test(text)
    ? text
    : fail(path, "must be an amount of dollars, with nine digits on each side of the dot at most");
}

/** The settings of an account without its balance, as the audit log compares them. */
export function describeAccount(account: Account) {
  const { id, name, createdAtMs, models, limits, caps, lowCreditNanos, logBodies, attribution, priceList, archivedAtMs } = account;
  return {
    id,
    name,
    created_at: new Date(createdAtMs).toISOString(),
    models,
    limits: viewLimits(limits),
    caps: viewCaps(caps),
    carried_spend: viewCarried(caps),
    credit_line: viewCreditLine(account.creditLine),
    low_credit: viewDollars(lowCreditNanos),
    log_bodies: logBodies,
    ...viewAttribution(attribution),
    show_credit: account.showCredit,
    price_list: priceList,
    archived_at: archivedAtMs === null ? null : new Date(archivedAtMs).toISOString(),
  };
}

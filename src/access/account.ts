import type { Infer } from "../lib/schema/infer.ts";
import { nameSchema } from "../lib/schema/name-schema.ts";
import type { Fail, Schema } from "../lib/schema/schema.ts";
import {
  changeValues,
  fieldsOf,
  initialValues,
  plainSetting,
  setting,
  showValues,
  valuesInFile,
  type ValuesOf,
  type WithUnknownFields,
  type ChangesOf,
} from "../lib/schema/settings.ts";
import { modelsSchema, shownModelsSchema } from "../models/models-schema.ts";
import { priceListIdSchema } from "../models/prices/declared-price-list.ts";
import {
  lowCreditSchema,
  readDollars,
  viewDollars,
  asText,
  capsSetting,
  limitsSetting,
  fileDollarsSchema,
} from "../money/declared-limits.ts";
import { creditLineSchema, NO_CREDIT_LINE, readCreditLine, viewCreditLine } from "../money/credit-line.ts";
import type { Nanos } from "../money/money.ts";
import { attributionProperties, changeAttribution, PLAIN_ATTRIBUTION, viewAttribution } from "./attribution-settings.ts";
import { partWithoutAttribution, WITHOUT_ATTRIBUTION } from "./breakdown-settings.ts";

const fileCreditLineSchema = { nullable: true, oneOf: [{ type: "number", minimum: 0 }, creditLineSchema] } as const satisfies Schema;

/** The settings of an account. docs/configuration.md explains each. */
export const accountSettings = {
  models: setting({
    wire: {
      models: {
        ...modelsSchema,
        description: "The models that its keys may call, further restricted by each key's own list. Default: all models.",
      },
    },
    view: {
      models: { ...shownModelsSchema, description: "The models that its keys may call, further restricted by each key's own list." },
    },
    initial: ["*"] as readonly string[],
    change: (value, { models }) => models ?? value,
    show: (models) => ({ models }),
  }),
  limits: limitsSetting,
  caps: capsSetting,
  /** How far below zero its credit may go: an account that is billed afterwards. */
  creditLine: setting({
    wire: { credit_line: creditLineSchema },
    file: { credit_line: fileCreditLineSchema },
    fromFile: ({ credit_line: line }, fail) => (line === undefined ? {} : { credit_line: asText(line, ["credit_line"], fail) }),
    initial: NO_CREDIT_LINE,
    change: (value, { credit_line: line }) => (line === undefined ? value : readCreditLine(line)),
    show: (line) => ({ credit_line: viewCreditLine(line) }),
  }),
  /** A balance below this raises an alert. Null: only exhausted credit does. */
  lowCreditNanos: setting({
    wire: { low_credit: lowCreditSchema },
    file: { low_credit: fileDollarsSchema },
    fromFile: ({ low_credit: amount }, fail) => (amount === undefined ? {} : { low_credit: asText(amount, ["low_credit"], fail) }),
    initial: null as Nanos | null,
    change: (value, { low_credit: amount }) => (amount === undefined ? value : readDollars(amount)),
    show: (nanos) => ({ low_credit: viewDollars(nanos) }),
  }),
  logBodies: plainSetting(
    "log_bodies",
    {
      type: "boolean",
      description: "Prompt and response logging: whether the request log stores the bodies of requests and responses. Off by default.",
    },
    false,
  ),
  attribution: setting({
    wire: attributionProperties,
    initial: PLAIN_ATTRIBUTION,
    change: changeAttribution,
    show: viewAttribution,
  }),
  showCredit: plainSetting(
    "show_credit",
    {
      type: "boolean",
      description:
        "Whether the holders of its keys see its remaining credit and spend caps, which show what other keys spend: in response headers, in the key's usage, in dry runs and in 402 errors. On by default.",
    },
    true,
  ),
  priceList: plainSetting(
    "price_list",
    {
      ...priceListIdSchema,
      nullable: true,
      description: "The id of its price list; null if it pays base prices.",
    },
    null,
  ),
};

/** The owner of keys and credit. */
export interface Account extends ValuesOf<typeof accountSettings>, WithUnknownFields {
  readonly id: string;
  readonly name: string;
  readonly createdAtMs: number;
  /** Since when it is archived: hidden from lists, and its keys are rejected. */
  readonly archivedAtMs: number | null;
}

/** Valid account ids: short, and safe in a URL path. */
const ACCOUNT_ID = "^[a-z0-9][a-z0-9._-]{0,62}$";

export const accountIdSchema = {
  type: "string",
  pattern: ACCOUNT_ID,
  patternInWords: "1 to 63 of a-z, 0-9, dot, dash and underscore, with a letter or digit first",
} as const satisfies Schema;

/** The account of keys that are created without one. It always exists. */
export const DEFAULT_ACCOUNT = "default";

export function makeAccount(id: string, name: string, createdAtMs: number): Account {
  return { id, name, createdAtMs, ...initialValues(accountSettings), archivedAtMs: null };
}

/** The account with other settings: those that are not given stay. */
export function changeAccountSettings(account: Account, given: ChangesOf<typeof accountSettings>): Account {
  return { ...account, ...changeValues(accountSettings, account, given) };
}

/** An account in a config file. */
export const declaredAccountSchema = {
  type: "object",
  additionalProperties: false,
  required: ["id", "name"],
  properties: { id: accountIdSchema, name: nameSchema, ...fieldsOf(accountSettings, "file") },
} as const satisfies Schema;

type DeclaredAccount = Infer<typeof declaredAccountSchema>;

/** The declared settings of an account, without its credit, keys and members. */
export type AccountTerms = Omit<Account, "createdAtMs">;

/** The parsed declaration. */
export function toTerms(declared: DeclaredAccount, fail: Fail): AccountTerms {
  const { id, name, ...given } = declared;
  const terms: AccountTerms = { id, name, ...valuesInFile(accountSettings, given, fail), archivedAtMs: null };
  const unattributed = partWithoutAttribution(terms, terms.attribution);
  if (unattributed) fail(unattributed, WITHOUT_ATTRIBUTION);
  return terms;
}

/** An account without its balance, as the audit log compares it. */
export function describeAccount(account: Account) {
  const { id, name, createdAtMs, archivedAtMs } = account;
  return {
    id,
    name,
    created_at: new Date(createdAtMs).toISOString(),
    ...showValues(accountSettings, account),
    archived_at: archivedAtMs === null ? null : new Date(archivedAtMs).toISOString(),
  };
}

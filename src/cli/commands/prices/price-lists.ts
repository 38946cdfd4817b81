import type { Price, PriceList } from "../../../../platform-client/types.ts";
import { changeCommand } from "../../change-command.ts";
import { UsageError, type Operand, type Reader } from "../../command.ts";
import { isObject } from "../../../lib/schema/schema.ts";
import { formatDetails, warnOfModels } from "../../format/format-details.ts";
import { formatCount, formatDay, formatRate, managedBy } from "../../format/format-values.ts";
import { listCommand } from "../../list-command.ts";
import { clearable, count, countBetween, json, text } from "../../options.ts";
import { platformCommand } from "../../platform-command.ts";
import { TOLLGATE } from "../../../lib/this-program.ts";

const PRICE_LIST: Operand = { name: "PRICE_LIST", meaning: "price list ID, as shown by price-lists list" };

/** The fields of a price list that can be set and updated. */
const PRICE_LIST_OPTIONS = {
  name: text("name", "display name"),
  percent: countBetween(0, 1000, count("percent", "price of models that the list does not name, in percent of their base price")),
  percents: json("percents", "several percentages with effective dates, instead of --percent, as in docs/price-lists.md"),
  models: json("models", "price overrides by model, as in docs/price-lists.md"),
};

/** `gpt-4o=2,8`, `gpt-4o=free`, `gpt-4o=none` or `gpt-4o={…}`. */
function readModelPrice(...[given, name]: Parameters<Reader>): [string, unknown] {
  const [, model = "", priced = ""] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
  const [, input, output] = /^(\d+(?:\.\d+)?),(\d+(?:\.\d+)?)$/.exec(priced) ?? [];
  if (input !== undefined) return [model, { price: { input_per_million: Number(input), output_per_million: Number(output) } }];
  if (priced === "none") return [model, null];
  if (priced === "free") return [model, { free: true }];
  try {
    const pricing: unknown = JSON.parse(priced);
    if (isObject(pricing)) return [model, pricing];
  } catch {
    // An invalid price is reported below.
  }
  throw new UsageError(`${name} must be MODEL=INPUT,OUTPUT, such as gpt-4o=2,8, or MODEL=free, MODEL=none or MODEL=JSON`);
}

export const createPriceList = platformCommand<PriceList>({
  summary: "Create a price list.",
  details:
    "A price list replaces the base prices of the models for its accounts, by a percentage, price overrides for models, or both. Assign it to an account with accounts update --price-list.",
  examples: [
    "price-lists create partners --percent 80",
    `price-lists create resale --percent 120 --models '{"gpt-4o-mini": {"price": {"input_per_million": 0.2, "output_per_million": 0.8}}}'`,
  ],
  operands: [{ name: "ID", field: "id", meaning: "permanent price list ID: up to 63 characters of a-z, 0-9, dot, dash and underscore" }],
  options: { ...PRICE_LIST_OPTIONS, name: { ...PRICE_LIST_OPTIONS.name, meaning: "display name (default: the ID)" } },
  call: "POST /api/price-lists",
  complete: (fields) => ({ name: fields["id"], ...fields }),
  print: ({ id, name, unknown_models: unknown }) =>
    `Created price list ${id} (${name}). Preview it for an account: ${TOLLGATE} accounts update ACCOUNT --price-list ${id} --preview\n${warnOfModels(unknown)}`,
});

export const listPriceLists = listCommand<PriceList>({
  summary: "List price lists.",
  examples: ["price-lists list"],
  call: "GET /api/price-lists",
  columns: [
    { heading: "ID", cell: ({ id }) => id },
    { heading: "OTHER MODELS", cell: describeNow },
    { heading: "PRICE OVERRIDES", cell: ({ models }) => String(Object.keys(models).length), align: "right" },
    { heading: "ACCOUNTS", cell: ({ accounts }) => String(accounts), align: "right" },
    { heading: "NAME", cell: ({ name }) => name, isLong: true },
  ],
});

export const showPriceList = platformCommand<PriceList>({
  summary: "Show a price list.",
  examples: ["price-lists show partners"],
  operands: [PRICE_LIST],
  call: "GET /api/price-lists/{id}",
  print: describePriceList,
});

export const updatePriceList = changeCommand<PriceList>({
  summary: "Update a price list.",
  details:
    "The change applies from the next request, or from the effective dates in it. Fields that are not given stay unchanged; --models replaces all price overrides, and --set-model the price override of one model.",
  examples: [
    "price-lists update partners --percent 85 --preview",
    "price-lists update partners --set-model gpt-4o=2,8 --set-model old-chat=none",
    `price-lists update partners --percents '[{"percent": 80}, {"percent": 85, "effective": "2027-07-01"}]'`,
  ],
  operands: [PRICE_LIST],
  options: {
    ...PRICE_LIST_OPTIONS,
    percent: clearable({ ...PRICE_LIST_OPTIONS.percent, meaning: `${PRICE_LIST_OPTIONS.percent.meaning}; none for the base price` }),
    "set-model": {
      field: "set_models",
      meaning: "own price of one model, in dollars per million tokens of input and output; free, none to remove it, or JSON as in --models",
      value: "MODEL=INPUT,OUTPUT",
      read: readModelPrice,
      gather: (prices) => Object.fromEntries(prices as [string, unknown][]),
    },
  },
  call: "PATCH /api/price-lists/{id}",
  print: describePriceList,
});

export const removePriceList = platformCommand<PriceList>({
  summary: "Remove a price list that no account has.",
  details: "Receipts of earlier requests still name it.",
  examples: ["price-lists remove partners"],
  operands: [PRICE_LIST],
  call: "DELETE /api/price-lists/{id}",
  print: ({ id }) => `Removed price list ${id}.\n`,
});

function describePriceList(list: PriceList): string {
  const details = formatDetails([
    ["Price list", `${list.id} (${list.name})`],
    ["Managed by", managedBy(list.managed_by)],
    ["Accounts", formatCount(list.accounts, "account")],
    ...(list.percents.length === 0 ? [["Other models", "base price"]] : list.percents.map(describePercent)),
    ...Object.entries(list.models).flatMap(([model, prices]) => prices.map((price, at) => [at === 0 ? model : "", describePrice(price)])),
  ]);
  return `${details}${warnOfModels(list.unknown_models)}`;
}

function describePercent({ percent, effective_at: at }: PriceList["percents"][number], index: number): string[] {
  return [index === 0 ? "Other models" : "", `${formatEffectiveDate(at)}${percent} % of the base price`];
}

function describePrice({ effective_at: at, input_per_million: input, output_per_million: output, tiers }: Price): string {
  const tiered = tiers.length === 0 ? "" : `, ${formatCount(tiers.length, "tier")}`;
  return `${formatEffectiveDate(at)}${formatRate(input)} input, ${formatRate(output)} output per million tokens${tiered}`;
}

function formatEffectiveDate(iso: string): string {
  return Date.parse(iso) === 0 ? "" : `from ${formatDay(iso)}: `;
}

/** The percentage that is in force now. */
function describeNow({ percents }: PriceList): string {
  const inForce = percents.findLast(({ effective_at: at }) => Date.parse(at) <= Date.now());
  return inForce ? `${inForce.percent} %` : "default";
}

import type { Model, Price, Upstream } from "../../../../platform-client/types.ts";
import { defaultPrices } from "../../../models/prices/default-prices.ts";
import { findDefaultPrices } from "../../../models/prices/find-default-prices.ts";
import { priceInForce } from "../../../money/price.ts";
import { viewPrice } from "../../../money/view-price.ts";
import { CommandFailed, type Command, type Description } from "../../command.ts";
import { formatCount, formatRate } from "../../format/format-values.ts";
import { formatTable } from "../../format/table.ts";
import { readAll } from "../../list-command.ts";
import { asJson, printable, terminalWidth, writeStdout } from "../../output.ts";

/** A model whose default price would change. */
interface Difference {
  readonly model: string;
  readonly upstream: string;
  readonly upstream_model: string;
  /** The price in force; null if there is none. */
  readonly in_force: Price | null;
  readonly installed: Price | null;
}

const MODELS = { call: "GET /api/models", operands: [], options: {} } as unknown as Description;
const UPSTREAMS = { call: "GET /api/upstreams", operands: [], options: {} } as unknown as Description;

export const checkPrices: Command = {
  summary: "Compare the default prices in force with the price data of this version.",
  details:
    "Run it with a newly installed version before the gateway is restarted: it shows the models whose price a restart would change. Models with a price of their own keep it. Exit code 1 if a price would change.",
  examples: ["prices check", "prices check --json"],
  operands: [],
  options: {},
  call: "GET /api/models",
  async run({ json }) {
    const [models, upstreams] = await Promise.all([
      readAll<Model>(MODELS, { operands: [] }),
      readAll<Upstream>(UPSTREAMS, { operands: [] }),
    ]);
    const byDefault = models.data.filter(hasDefaultPrice);
    const differences = byDefault.flatMap((model) => differenceOf(model, upstreams.data, Date.now()));
    const { from } = defaultPrices();
    if (json) await writeStdout(asJson({ price_data: from, checked: byDefault.length, differences }));
    else await writeStdout(printable(describe(differences, byDefault.length, from)));
    if (differences.length > 0) throw new CommandFailed(`${formatCount(differences.length, "price")} would change`);
  },
};

/** A model without a price may get a default price from the data. */
function hasDefaultPrice({ state, price, routes = [] }: Model): boolean {
  return state !== "retired" && routes.length > 0 && (price === null || price.source === "default");
}

function differenceOf({ id, kind, price, routes = [] }: Model, upstreams: readonly Upstream[], nowMs: number): Difference[] {
  const { upstream, model } = routes[0]!;
  const baseUrl = upstreams.find((each) => each.id === upstream)?.base_url;
  const found = typeof baseUrl === "string" ? priceInForce(findDefaultPrices(baseUrl, model, kind), nowMs) : undefined;
  if ((found?.version ?? null) === (price?.version ?? null)) return [];
  const installed = found ? (viewPrice(found) as unknown as Price) : null;
  return [{ model: id, upstream, upstream_model: model, in_force: price, installed }];
}

function describe(differences: readonly Difference[], checked: number, from: string): string {
  const what = `${formatCount(checked, "model")} with a default price, compared with ${from}.\n`;
  if (differences.length === 0) return `${what}No price would change.\n`;
  const table = formatTable<Difference>(
    [
      { heading: "MODEL", cell: ({ model }) => model, isLong: true },
      { heading: "INPUT", cell: (each) => change(each, "input_per_million") },
      { heading: "CACHED INPUT", cell: (each) => change(each, "cached_input_per_million"), isSpare: true },
      { heading: "OUTPUT", cell: (each) => change(each, "output_per_million") },
    ],
    differences,
    terminalWidth(),
  );
  return `${what}Dollars per million tokens, in force → in this version:\n\n${table}`;
}

function change(
  { in_force: before, installed: after }: Difference,
  rate: "input_per_million" | "cached_input_per_million" | "output_per_million",
): string {
  const [one, other] = [before, after].map((price) => (price ? formatRate(price[rate]) : "none"));
  return one === other ? one! : `${one} → ${other}`;
}

import { stringify } from "yaml";
import type { DeclaredRoute } from "../../../models/declared-route.ts";
import type { PresetId } from "../../../models/presets.ts";
import type { ImportReport } from "./import-plan.ts";
import { numberIn, objectIn, textIn, type Row } from "./row-values.ts";

const MAX_PRIORITY = 1000;

/** Channel types whose API format has a preset. */
const PRESETS: Readonly<Record<string, PresetId>> = {
  1: "openai",
  4: "ollama",
  14: "anthropic",
  20: "openrouter",
  24: "gemini",
  25: "moonshot",
  27: "perplexity",
  42: "mistral",
  43: "deepseek",
  48: "xai",
};
/** The type of a custom channel, whose base URL is the complete URL. */
const CUSTOM = "8";

interface ConvertedChannel {
  readonly upstream: object;
  readonly variable: string;
  readonly credential: string;
}

/** The channels as upstreams and models of a tollgate.yaml. Their credentials are written to a separate file of environment variables. */
export function convertChannels(
  channels: readonly Row[],
  options: ReadonlyMap<string, string>,
  unitsPerDollar: number,
  report: ImportReport,
): { readonly yaml: string; readonly environment: string } | undefined {
  const routes = new Map<string, DeclaredRoute[]>();
  const converted: ConvertedChannel[] = [];
  const highest = Math.max(0, ...channels.map((row) => numberIn(row, "priority") ?? 0));
  for (const row of channels) {
    const id = `channel-${textIn(row, "id") ?? "0"}`;
    const channel = convertChannel(id, row, report);
    if (!channel) continue;
    converted.push(channel);
    const mapping = objectIn(row, "model_mapping");
    // Channels with the highest number go first. In tollgate.yaml, priority 1 goes first.
    const priority = Math.min(MAX_PRIORITY, 1 + highest - (numberIn(row, "priority") ?? 0));
    const weight = Math.min(MAX_PRIORITY, numberIn(row, "weight") || 1);
    for (const model of (textIn(row, "models") ?? "").split(",").map((each) => each.trim())) {
      if (model === "") continue;
      const route = { upstream: id, model: nameAt(mapping[model]) ?? model, priority, weight };
      routes.set(model, [...(routes.get(model) ?? []), route]);
    }
  }
  if (converted.length === 0) return undefined;
  const models = [...routes].map(([id, its]) => ({ id, routes: its, ...priceOf(id, options, unitsPerDollar, report) }));
  return {
    yaml: stringify({ upstreams: converted.map(({ upstream }) => upstream), models }, { aliasDuplicateObjects: false, lineWidth: 0 }),
    environment: converted.map(({ variable, credential }) => `${variable}=${credential}\n`).join(""),
  };
}

function convertChannel(id: string, row: Row, report: ImportReport): ConvertedChannel | undefined {
  const subject = `channel ${textIn(row, "name") ?? id}`;
  const type = textIn(row, "type") ?? "";
  const [preset, baseUrl] = [PRESETS[type], textIn(row, "base_url")];
  const [credential, ...others] = (textIn(row, "key") ?? "").split("\n").map((line) => line.trim());
  if ((textIn(row, "status") ?? "1") !== "1") return report.omit("disabled channels were omitted", subject);
  if (!preset && type !== CUSTOM) return report.omit(`channels of type ${type} have no counterpart: add the upstream by hand`, subject);
  if (type === CUSTOM && baseUrl === null) return report.omit("channels without an address were omitted", subject);
  if (others.some((other) => other !== "")) report.add("only the first of several keys of a channel was imported", subject);
  for (const column of ["param_override", "header_override", "status_code_mapping", "system_prompt"])
    if ((textIn(row, column) ?? "{}") !== "{}") report.add(`${column} of channels was not imported`, subject);
  const variable = `CHANNEL_${(textIn(row, "id") ?? "0").replaceAll(/\W/g, "_")}_KEY`;
  const address = baseUrl === null ? {} : { base_url: withVersion(baseUrl, preset) };
  const credentials = credential ? { credential: `\${${variable}}` } : {};
  return {
    upstream: { id, ...(preset ? { preset } : { dialect: "openai" }), ...address, ...credentials },
    variable,
    credential: credential ?? "",
  };
}

function nameAt(mapped: unknown): string | undefined {
  return typeof mapped === "string" && mapped !== "" ? mapped : undefined;
}

/** The base URL of a channel does not include `/v1`. */
function withVersion(baseUrl: string, preset: PresetId | undefined): string {
  const url = baseUrl.replace(/\/+$/, "");
  return preset === undefined || /\/v\d[^/]*$/.test(url) ? url : `${url}/${preset === "gemini" ? "v1beta" : "v1"}`;
}

/**
 * The price from the ratios in the options: with a ratio of 1, a token costs one unit. A model without a ratio gets its published price.
 */
function priceOf(model: string, options: ReadonlyMap<string, string>, unitsPerDollar: number, report: ImportReport): object {
  const ratio = ratioIn(options, "ModelRatio", model);
  if (ratioIn(options, "ModelPrice", model) !== undefined) report.add("prices per request have no counterpart", `model ${model}`);
  if (ratio === undefined) {
    report.add("models without a ratio in the database get their published price, or none", `model ${model}`);
    return {};
  }
  const completion = ratioIn(options, "CompletionRatio", model);
  if (completion === undefined)
    report.add("models without a completion ratio in the database have one price for input and output: check it", `model ${model}`);
  const [input, cached] = [(ratio * 1_000_000) / unitsPerDollar, ratioIn(options, "CacheRatio", model)];
  return {
    price: {
      input_per_million: rounded(input),
      output_per_million: rounded(input * (completion ?? 1)),
      ...(cached !== undefined && { cached_input_per_million: rounded(input * cached) }),
    },
  };
}

function ratioIn(options: ReadonlyMap<string, string>, name: string, model: string): number | undefined {
  const ratio = objectIn({ value: options.get(name) }, "value")[model];
  return typeof ratio === "number" && ratio >= 0 ? ratio : undefined;
}

/** Ratios are stored as binary fractions, so the price is rounded. */
function rounded(dollars: number): number {
  return Number(dollars.toFixed(6));
}

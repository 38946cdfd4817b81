import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { calcPrice, waitForUpdate, type MatchLogic, type ModelInfo, type ModelPrice } from "@pydantic/genai-prices";
import { defaultPricesText, harmlessPattern, licenceText, toPicos } from "../../../scripts/convert-prices.ts";
import { presetOf, type PresetId, type PRESETS } from "../presets.ts";
import { costOf, priceInForce, type Price, type Rates } from "../../money/price.ts";
import type { Usage } from "../../money/usage.ts";
import { defaultPrices } from "./default-prices.ts";
import { findDefaultPrices } from "./find-default-prices.ts";

type RemotePresetId = { [Id in PresetId]: (typeof PRESETS)[Id] extends { readonly isLocal: true } ? never : Id }[PresetId];

const OPENAI = "https://api.openai.com/v1";
const DAY_MS = 24 * 60 * 60 * 1000;
/** Later than every change of a price that the package knows. */
const LATER_MS = Date.parse("2030-01-01T12:00:00Z");
const FLOAT_NOISE = 1e-3;

const providers = (await waitForUpdate())!;
const committed = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");

test("the committed prices match the package (npm run prices writes them)", async () => {
  // Compared by line, so that a failure shows only the lines that differ, not 300 kB.
  expect(committed("default-prices.json").split("\n")).toEqual((await defaultPricesText()).split("\n"));
  expect(committed("default-prices.LICENSE")).toBe(await licenceText());
});

/** A base URL of each provider in the package, as people write it. */
const BASE_URLS: Record<string, string> = {
  anthropic: "https://api.anthropic.com/v1/",
  arcee: "https://api.arcee.ai/api/v1",
  avian: "https://api.avian.io/v1",
  aws: "https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1",
  azure: "https://example.openai.azure.com/openai/v1",
  baseten: "https://inference.baseten.co/v1",
  cerebras: "https://api.cerebras.ai/v1",
  cloudflare: "https://api.cloudflare.com/client/v4/accounts/0123456789abcdef/ai/v1",
  cohere: "https://api.cohere.ai/compatibility/v1",
  cursor: "https://api.cursor.com",
  deepseek: "https://api.deepseek.com/v1",
  doubleword: "https://api.doubleword.ai/v1",
  fireworks: "https://api.fireworks.ai/inference/v1",
  "github-copilot": "https://api.githubcopilot.com",
  google: "https://generativelanguage.googleapis.com/v1beta/openai",
  groq: "https://api.groq.com/openai/v1",
  huggingface_cerebras: "https://router.huggingface.co/cerebras/v1",
  "huggingface_fireworks-ai": "https://router.huggingface.co/fireworks-ai/inference/v1",
  huggingface_groq: "https://router.huggingface.co/groq/openai/v1",
  huggingface_hyperbolic: "https://router.huggingface.co/hyperbolic/v1",
  huggingface_nebius: "https://router.huggingface.co/nebius/v1",
  huggingface_novita: "https://router.huggingface.co/novita/v3/openai",
  huggingface_nscale: "https://router.huggingface.co/nscale/v1",
  huggingface_ovhcloud: "https://router.huggingface.co/ovhcloud/v1",
  huggingface_publicai: "https://router.huggingface.co/publicai/v1",
  huggingface_sambanova: "https://router.huggingface.co/sambanova/v1",
  huggingface_together: "https://router.huggingface.co/together",
  minimax: "https://api.minimax.io/v1",
  mistral: "https://api.mistral.ai/v1",
  modal: "https://example--serve.modal.run/v1",
  moonshotai: "https://api.moonshot.ai/v1",
  novita: "https://api.novita.ai/v3/openai",
  openai: OPENAI,
  openrouter: "https://openrouter.ai/api/v1",
  ovhcloud: "https://oai.endpoints.kepler.ai.cloud.ovh.net/v1",
  perplexity: "https://api.perplexity.ai",
  quicksilverpro: "https://api.quicksilverpro.io/v1",
  together: "https://api.together.xyz/v1",
  typesafe: "https://api.typesafe.ai/v1",
  voyageai: "https://api.voyageai.com/v1",
  "x-ai": "https://api.x.ai/v1",
  zai: "https://api.z.ai/api/paas/v4",
  zhipuai: "https://open.bigmodel.cn/api/paas/v4",
};

test("finds the provider's prices and the context window of a model", () => {
  const found = findDefaultPrices(OPENAI, "gpt-4o-mini");
  expect(found.map(({ source, effectiveAtMs, tiers }) => ({ source, effectiveAtMs, tiers }))).toEqual([
    { source: "default", effectiveAtMs: 0, tiers: [] },
  ]);
  expect(found[0]!.rates).toEqual(rates(150_000, 75_000, 150_000, 600_000, 600_000));
});

test("a longer prompt has the rates of its tier, and a later date the price of that date", () => {
  const prices = findDefaultPrices(OPENAI, "gpt-5.6-luna");
  expect(prices.map((price) => price.effectiveAtMs)).toEqual([0, Date.parse("2026-07-30")]);
  expect(prices[0]!.rates).toEqual(rates(1_000_000, 100_000, 1_250_000, 6_000_000, 6_000_000));
  expect(prices[1]!.rates).toEqual(rates(200_000, 20_000, 250_000, 1_200_000, 1_200_000));
  expect(prices[1]!.tiers).toEqual([{ aboveInputTokens: 271_999, rates: rates(400_000, 40_000, 500_000, 1_800_000, 1_800_000) }]);
});

test("a time-of-day price is the highest one", () => {
  const prices = findDefaultPrices("https://api.deepseek.com", "deepseek-chat");
  expect(prices.map((price) => price.rates)).toEqual([rates(270_000, 70_000, 270_000, 1_100_000, 1_100_000)]);
});

test("a reseller uses the prices of the original provider", () => {
  const found = findDefaultPrices(BASE_URLS["azure"]!, "gpt-5-20250807");
  expect(found[0]!.rates).toEqual(rates(1_250_000, 125_000, 1_250_000, 10_000_000, 10_000_000));
  expect(found).toEqual(findDefaultPrices(OPENAI, "gpt-5-2025-08-07"));
});

function rates(input: number, cachedInput: number, cacheWrite: number, output: number, reasoning: number): Rates {
  return {
    inputPicos: BigInt(input),
    cachedInputPicos: BigInt(cachedInput),
    cacheWritePicos: BigInt(cacheWrite),
    outputPicos: BigInt(output),
    reasoningPicos: BigInt(reasoning),
  };
}

describe("the base URL selects the provider's prices", () => {
  const openai = ["https://api.openai.com", "https://api.openai.com/", "https://API.OpenAI.com:443/v1?a=b"];
  for (const address of openai) test(`OpenAI: ${address}`, () => expect(findDefaultPrices(address, "gpt-4o-mini")).not.toEqual([]));

  const nobody = [
    "http://127.0.0.1:11434/v1",
    "http://api.openai.com/v1",
    "https://gateway.example/https://api.openai.com/v1",
    "https://api.openai.com.example/v1",
    "https://api.openai.com@gateway.example/v1",
    "https://api.openai.community/v1",
    "not an address",
  ];
  for (const address of nobody) test(`nobody: ${address}`, () => expect(findDefaultPrices(address, "gpt-4o-mini")).toEqual([]));

  /** A model of each provider; undefined where the price file has none. */
  const MODELS: Record<RemotePresetId, string | undefined> = {
    openai: "gpt-4o-mini",
    anthropic: "claude-sonnet-4-5",
    gemini: "gemini-2.5-flash",
    azure: "gpt-4o-mini",
    "azure-deployments": "gpt-4o-mini",
    bedrock: "openai.gpt-oss-120b-1:0",
    "bedrock-converse": "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    vertex: "google/gemini-2.5-flash",
    "vertex-gemini": "gemini-2.5-flash",
    "vertex-claude": "claude-sonnet-4-5@20250929",
    mistral: "mistral-small-latest",
    groq: "llama-3.3-70b-versatile",
    deepseek: "deepseek-chat",
    xai: "grok-4",
    together: "meta-llama/Llama-3.3-70B-Instruct-Turbo",
    fireworks: "accounts/fireworks/models/gpt-oss-120b",
    openrouter: "openai/gpt-4o-mini",
    cerebras: "gpt-oss-120b",
    // It charges for each request as well, which the price file cannot express.
    perplexity: undefined,
    moonshot: "kimi-k2-0905-preview",
    qwen: undefined,
  };
  const priced = Object.entries(MODELS).filter((entry): entry is [RemotePresetId, string] => entry[1] !== undefined);
  test.each(priced)("%s, as its preset has it", (id, model) => {
    expect(findDefaultPrices(presetOf(id).baseUrl.replaceAll(/\{\w+\}/g, "us-east-1"), model)).not.toEqual([]);
  });
});

describe("no price", () => {
  const unpriced: [string, string, string][] = [
    ["a model nobody knows", OPENAI, "gpt-nobody-knows"],
    ["another provider's model", OPENAI, "claude-sonnet-4-5"],
    ["no output price", OPENAI, "text-embedding-3-small"],
    ["a price by the hour of sound", OPENAI, "whisper-1"],
    ["a fee for each request", "https://api.perplexity.ai", "sonar"],
    ["a model that a provider includes in a subscription", "https://api.githubcopilot.com", "gpt-4o-mini"],
  ];
  for (const [name, baseUrl, model] of unpriced) test(name, () => expect(findDefaultPrices(baseUrl, model)).toEqual([]));
});

describe("dollars per million tokens as pico-dollars per token", () => {
  const exact: [number, number][] = [
    [0, 0],
    [75, 75_000_000],
    [0.003625, 3_625],
    [0.000001, 1],
    [0.18000000000000002, 180_000],
    [0.1 + 0.2, 300_000],
    [1 / 12, 83_334],
  ];
  for (const [dollars, picos] of exact) test(`${dollars}`, () => expect(toPicos(dollars)).toBe(picos));

  for (const dollars of [0.0000001, 0.1234567, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    test(`${dollars} is rejected`, () => expect(() => toPicos(dollars)).toThrow("not a price in whole pico-dollars"));
  }
});

describe("rejects a pattern that could be slow", () => {
  for (const pattern of ["^(a+)+$", "^(a|a)*$", "^a*b*c$", "^(ab){2,}$", "a{2,}b+"]) {
    test(pattern, () => expect(() => harmlessPattern(pattern)).toThrow("a pattern that could be slow"));
  }
  for (const pattern of ["^gpt-\\d{4}-\\d{2}$", "^(?!.*-tts(?:$|-))", "^[*+]\\+(?:a|b)?$"]) {
    test(`not: ${pattern}`, () => expect(harmlessPattern(pattern)).toBe(pattern));
  }
});

describe("matches the package's calcPrice", () => {
  for (const { id, models, fallback_model_providers: fallbacks = [] } of providers) {
    test(
      id,
      () => {
        const sold = [...models, ...providers.filter((other) => fallbacks.includes(other.id)).flatMap((other) => other.models)];
        const names = [...new Set(sold.flatMap((model) => [model.id, ...namesIn(model.match)]).flatMap(spellings))];
        const asked = new Set(names.map((name) => modelOf(BASE_URLS[id]!, name)));
        expect(models.filter((model) => !asked.has(model)).map((model) => model.id)).toEqual([]);
        const compared = new Map<ModelInfo, readonly Price[]>();
        expect(names.flatMap((name) => differences(BASE_URLS[id]!, name, compared))).toEqual([]);
      },
      300_000,
    );
  }
});

function modelOf(baseUrl: string, name: string): ModelInfo | undefined {
  return calcPrice({}, name, { providerApiUrl: baseUrl })?.model;
}

/** Every text in a rule: where it is the beginning or the end of a name, it is a name too. */
function namesIn(match: MatchLogic): string[] {
  if ("or" in match) return match.or.flatMap(namesIn);
  if ("and" in match) return match.and.flatMap(namesIn);
  if ("regex" in match)
    return [
      match.regex
        .replaceAll(/[\\^$]|\{\d\}/g, "")
        .replaceAll("d-d-d", "2026-02-03")
        .replace(/d$/, "20260203"),
    ];
  return Object.values(match);
}

function spellings(name: string): string[] {
  return [name, ` ${name.toUpperCase()}`, `${name}-20260203`, name.replace(/-(\d{4})-(\d\d)-(\d\d)/, "-$1$2$3")];
}

/** All names of a model must have the same prices; those of the first name are compared with the package's. */
function differences(baseUrl: string, name: string, compared: Map<ModelInfo, readonly Price[]>): string[] {
  const ours = findDefaultPrices(baseUrl, name);
  const model = modelOf(baseUrl, name);
  if (!model || !isComparable(model)) return ours.length > 0 ? [`${name} has a price`] : [];
  if (ours.length === 0) return [`${name} has no price`];
  const first = compared.get(model);
  if (first) return Bun.deepEquals(ours, first) ? [] : [`${name} has other prices than another name of ${model.id}`];
  compared.set(model, ours);
  return momentsOf(model).flatMap((nowMs) =>
    usagesFor(model).flatMap((usage) => {
      const cost = Number(costOf(usage, priceInForce(ours, nowMs)!));
      const expected = highestOfDay(usage, name, baseUrl, nowMs, model);
      // Theirs is a sum of floats, ours is rounded up once.
      const isSame = cost > expected - FLOAT_NOISE && cost < expected + 1 + FLOAT_NOISE + roundingOf(usage, model);
      return isSame ? [] : [`${name}: ${cost}, not ${expected}, for ${JSON.stringify(usage)}`];
    }),
  );
}

/** Nano-dollars that a rate finer than a pico-dollar may add when it is rounded up. Only writing to a cache has such rates. */
function roundingOf(usage: Usage, model: ModelInfo): number {
  const picos = pricesOf(model).map((prices) => Number(prices["cache_write_mtok"]) * 1e6);
  return picos.some((rate) => Math.abs(rate - Math.round(rate)) > 0.01) ? usage.cacheWriteTokens / 1000 : 0;
}

function pricesOf(model: ModelInfo): ModelPrice[] {
  return Array.isArray(model.prices) ? model.prices.map(({ prices }) => prices) : [model.prices];
}

function isComparable(model: ModelInfo): boolean {
  return pricesOf(model).every((prices) => "input_mtok" in prices && "output_mtok" in prices && !("requests_kcount" in prices));
}

/** Long after, long before, and both sides of each day on which the price changes. */
function momentsOf(model: ModelInfo): number[] {
  const constraints = Array.isArray(model.prices) ? model.prices.map(({ constraint }) => constraint) : [];
  const days = constraints.flatMap((constraint) => (constraint?.type === "start_date" ? [Date.parse(constraint.start_date)] : []));
  return [LATER_MS, 0, ...days.flatMap((day) => [day - DAY_MS, day])];
}

/** Plain and of every kind, short and on both sides of each threshold. */
function usagesFor(model: ModelInfo): Usage[] {
  const amounts = pricesOf(model).flatMap((prices) => Object.values(prices));
  const thresholds = amounts.flatMap((amount) => (typeof amount === "object" ? amount.tiers.map((tier) => tier.start) : []));
  const lengths = new Set([3, 12_345, ...thresholds.flatMap((threshold) => [threshold, threshold + 1, threshold * 2])]);
  return [...lengths].flatMap((promptTokens) => {
    const plain = { promptTokens, completionTokens: 7_890, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
    const third = Math.floor(promptTokens / 3);
    return [plain, { ...plain, cachedTokens: third, cacheWriteTokens: third, reasoningTokens: 4_560 }];
  });
}

/** The nano-dollars that the package charges at the most expensive half-hour of a day. */
function highestOfDay(usage: Usage, name: string, baseUrl: string, dayMs: number, model: ModelInfo): number {
  const reported = {
    input_tokens: usage.promptTokens,
    cache_read_tokens: usage.cachedTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    output_tokens: usage.completionTokens,
    output_reasoning_tokens: usage.reasoningTokens,
  };
  const isByTheHour = Array.isArray(model.prices) && model.prices.some(({ constraint }) => constraint?.type === "time_of_date");
  const moments = isByTheHour ? Array.from({ length: 48 }, (_, at) => dayMs - (dayMs % DAY_MS) + (at * DAY_MS) / 48) : [dayMs];
  const dollars = moments.map((ms) => calcPrice(reported, name, { providerApiUrl: baseUrl, timestamp: new Date(ms) })!.total_price);
  return Math.max(...dollars) * 1e9;
}

test("releases the price file after the lookup", async () => {
  const file = new WeakRef(defaultPrices());
  // What was looked at in a turn is kept until its end, and now and then a collection takes a number for an address.
  for (let attempt = 0; attempt < 20 && file.deref(); attempt++) {
    await Bun.sleep(1);
    Bun.gc(true);
  }
  expect(file.deref()?.from).toBeUndefined();
});

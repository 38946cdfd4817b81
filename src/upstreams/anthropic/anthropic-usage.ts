import { isObject } from "../../lib/schema/schema.ts";
import { usageFromWire, type PremiumUse, type Usage } from "../../money/usage.ts";
import { toolNameOf } from "../../requests/premium-demand.ts";
import { unknownUsageIn } from "../unpriced-usage.ts";

interface InputCounts {
  readonly fresh: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

const SAMPLING = {
  input_tokens: true,
  output_tokens: true,
  cache_creation_input_tokens: true,
  cache_read_input_tokens: true,
  cache_creation: { ephemeral_5m_input_tokens: true, ephemeral_1h_input_tokens: true },
} as const;

/** https://platform.claude.com/docs/en/api/messages */
const KNOWN = {
  ...SAMPLING,
  output_tokens_details: { thinking_tokens: true },
  server_tool_use: { web_search_requests: true, web_fetch_requests: true, code_execution_requests: true, tool_search_requests: true },
  service_tier: true,
  inference_geo: true,
  speed: true,
  iterations: { ...SAMPLING, type: true, model: true },
} as const;

/** The values of options at the usual rates. */
const USUAL: ReadonlySet<unknown> = new Set(["standard", "global", "not_available"]);

function isPremium(option: unknown): option is string {
  return typeof option === "string" && !USUAL.has(option);
}

/** Options that can multiply the rates. */
const OPTIONS = ["speed", "inference_geo", "service_tier"] as const;

/** The types of samplings whose tokens have the rates of the model. */
const OWN_SAMPLINGS: ReadonlySet<unknown> = new Set(["message", "compaction"]);

/**
 * The token counts of one response. A stream reports cumulative counts at its start and at its end: later counts replace earlier
 * ones. Missing counts keep their earlier value, and counts lower than before are ignored.
 */
export class AnthropicUsage {
  readonly #report: ReportUnpriced;
  #input: InputCounts | undefined;
  #output: number | undefined;
  #thinking = 0;
  #hourWrites = 0;
  /** As the API counts them. Undefined while there are none, as in most responses. */
  #toolCalls: Map<string, number> | undefined;
  /** The calls since the last counts. */
  #newCalls: Map<string, number> | undefined;
  #largestPrompt = 0;
  #options: readonly string[] = NO_OPTIONS;
  #hasRunCode = false;
  #isReported = false;
  /** The counts so far, until the next ones arrive: a caller can tell by the object whether counts have changed. */
  #usage: Usage | undefined;

  constructor(report: ReportUnpriced) {
    this.#report = report;
  }

  /** Reads a `usage` object. Returns whether it has an output count. */
  take(wire: unknown): boolean {
    if (!isObject(wire)) return false;
    this.#usage = undefined;
    this.#takePremium(wire);
    const sums = sumsOf(wire);
    this.#takeInput(sums);
    const output = countIn(sums, "output_tokens");
    if (output === undefined) return false;
    this.#output = Math.max(output, this.#output ?? 0);
    this.#newCalls = undefined;
    this.#thinking = Math.max(countIn(wire["output_tokens_details"], "thinking_tokens") ?? 0, this.#thinking);
    return this.usage !== undefined;
  }

  /**
   * Notes a content block: a response that is cut has no counts of its tools. Running code is never in the counts: it has one fee for each
   * response, and none with searches.
   */
  noteBlock({ type, name }: Readonly<Record<string, unknown>>): void {
    if (type !== "server_tool_use") return;
    this.#usage = undefined;
    const tool = toolNameOf(String(name));
    if (tool.endsWith("code_execution")) this.#hasRunCode = true;
    else (this.#newCalls ??= new Map()).set(tool, (this.#newCalls.get(tool) ?? 0) + 1);
  }

  /** Undefined until both input and output have been counted. */
  get usage(): Usage | undefined {
    if (!this.#input || this.#output === undefined) return undefined;
    return (this.#usage ??= this.#toUsage(this.#input, this.#output));
  }

  #toUsage(input: InputCounts, output: number): Usage | undefined {
    const usage = usageFromWire({
      prompt_tokens: sumOf(input),
      completion_tokens: output,
      prompt_tokens_details: { cached_tokens: input.cacheRead, cache_write_tokens: input.cacheWrite },
      completion_tokens_details: { reasoning_tokens: this.#thinking },
    });
    const premium = usage && this.#premiumOf(usage);
    return premium ? { ...usage, premium } : usage;
  }

  /** Undefined for most responses. */
  #premiumOf({ cacheWriteTokens }: Usage): PremiumUse | undefined {
    const hourWriteTokens = Math.min(this.#hourWrites, cacheWriteTokens);
    const hasCalls = this.#toolCalls !== undefined || this.#newCalls !== undefined || this.#hasRunCode;
    const isUsual = hourWriteTokens === 0 && !hasCalls && this.#options === NO_OPTIONS && this.#largestPrompt === 0;
    if (isUsual) return undefined;
    const calls = new Map(this.#toolCalls);
    for (const [tool, count] of this.#newCalls ?? []) calls.set(tool, (calls.get(tool) ?? 0) + count);
    if (this.#hasRunCode && calls.size === 0) calls.set("code_execution", 1);
    const largest = this.#largestPrompt > 0 ? { largestPrompt: this.#largestPrompt } : undefined;
    return { hourWriteTokens, toolCalls: Object.fromEntries(calls), multipliers: this.#options, ...largest };
  }

  #takePremium(wire: Json): void {
    if (!this.#isReported) this.#reportUnknown(unknownUsageIn(wire, KNOWN) ?? foreignSamplingIn(wire["iterations"]));
    this.#hourWrites = Math.max(this.#hourWrites, hourWritesIn(wire));
    this.#largestPrompt = Math.max(this.#largestPrompt, largestPromptIn(wire["iterations"]));
    if (OPTIONS.some((name) => isPremium(wire[name]))) this.#options = OPTIONS.map((name) => wire[name]).filter(isPremium);
    const { server_tool_use: calls } = wire;
    if (!isObject(calls)) return;
    for (const name in calls) {
      const tool = toolNameOf(name.replace(/_requests$/, ""));
      const count = Math.max(countIn(calls, name) ?? 0, this.#toolCalls?.get(tool) ?? 0);
      if (count > 0) (this.#toolCalls ??= new Map()).set(tool, count);
    }
  }

  /** Once for each response: a stream repeats its usage. */
  #reportUnknown(field: string | undefined): void {
    if (field === undefined) return;
    this.#isReported = true;
    this.#report("usage_unpriced", field);
  }

  #takeInput(wire: Json): void {
    const fresh = countIn(wire, "input_tokens") ?? this.#input?.fresh;
    if (fresh === undefined) return;
    const cacheRead = countIn(wire, "cache_read_input_tokens") ?? this.#input?.cacheRead ?? 0;
    const cacheWrite = countIn(wire, "cache_creation_input_tokens") ?? this.#input?.cacheWrite ?? 0;
    const input = { fresh, cacheRead, cacheWrite };
    if (!this.#input || sumOf(input) >= sumOf(this.#input)) this.#input = input;
  }
}

type Json = Readonly<Record<string, unknown>>;

/** Receives usage that the gateway does not know, with its name. */
type ReportUnpriced = (deviation: "usage_unpriced", name: string) => void;

const NO_OPTIONS: readonly string[] = [];

const PROMPT = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"] as const;
const SUMMED = [...PROMPT, "output_tokens"] as const;

/** The counts of a response. If it was compacted, its own counts lack the compaction, which `iterations` lists. */
function sumsOf(wire: Json): Json {
  const { iterations } = wire;
  if (!Array.isArray(iterations) || iterations.length < 2) return wire;
  const sums: Record<string, unknown> = { ...wire };
  for (const name of SUMMED) {
    const sum = iterations.reduce((total: number, each) => total + (countIn(each, name) ?? 0), 0);
    if (sum > (countIn(wire, name) ?? -1)) sums[name] = sum;
  }
  return sums;
}

/** The prompt of the largest sampling, which has the tier of the price; 0 for a response of one sampling. */
function largestPromptIn(iterations: unknown): number {
  if (!Array.isArray(iterations) || iterations.length < 2) return 0;
  return Math.max(...iterations.map((each) => PROMPT.reduce((sum, name) => sum + (countIn(each, name) ?? 0), 0)));
}

function hourWritesIn(wire: Json): number {
  const { iterations } = wire;
  const own = countIn(wire["cache_creation"], "ephemeral_1h_input_tokens") ?? 0;
  if (!Array.isArray(iterations)) return own;
  const sum = iterations.reduce(
    (total: number, each) => total + (isObject(each) ? hourWritesIn({ cache_creation: each["cache_creation"] }) : 0),
    0,
  );
  return Math.max(own, sum);
}

/** A sampling of another model, such as an advisor, which has its own price. */
function foreignSamplingIn(iterations: unknown): string | undefined {
  const isForeign = Array.isArray(iterations) && iterations.some((each) => isObject(each) && !OWN_SAMPLINGS.has(each["type"] ?? "message"));
  return isForeign ? "usage.iterations.type" : undefined;
}

/** `input_tokens` excludes cache reads and cache writes. */
function sumOf({ fresh, cacheRead, cacheWrite }: InputCounts): number {
  return fresh + cacheRead + cacheWrite;
}

function countIn(wire: unknown, name: string): number | undefined {
  const count = isObject(wire) ? wire[name] : undefined;
  return Number.isSafeInteger(count) && (count as number) >= 0 ? (count as number) : undefined;
}

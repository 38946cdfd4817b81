/** How a request asks for a tool that runs at the provider. */
export interface ToolTerms {
  /** The most calls of this tool. Undefined if the request sets no limit. */
  readonly maxCalls?: number | undefined;
  /** The most calls of all tools together, in APIs that limit only these. */
  readonly totalCalls?: number | undefined;
  /** The most tokens of one result, if the request limits them. */
  readonly resultTokens?: number | undefined;
  /** Whether the request can be served without the tool. */
  readonly isOptional?: boolean;
}

/** What a request may ask for besides tokens at the usual rates. Each method answers whether it is sold. */
export interface PremiumOffer {
  /** Writing to the prompt cache for an hour. */
  hourWrites(): boolean;
  /** An option that changes all rates, such as `fast`. */
  multiplier(option: string): boolean;
  /** Calls of a tool that runs at the provider. */
  tool(name: string, terms: ToolTerms): boolean;
  /** Compaction of the conversation at the provider, which samples the model once more at the usual rates. */
  compaction(): boolean;
}

/** The calls of one tool for a request that sets no limit. The limit is added to the request where the API has one. */
export const DEFAULT_TOOL_CALLS = 5;

/** The tokens that the result of one call of a tool is assumed to add to the prompt at most. */
export const RESULT_TOKENS = 20_000;

/** For requests that are translated. */
export const NOTHING_SOLD: PremiumOffer = {
  hourWrites: () => false,
  multiplier: () => false,
  tool: () => false,
  compaction: () => false,
};

/** Never changed: `PremiumDemand` creates its own collections when they are needed, because most requests ask for nothing. */
const NO_NAMES = new Set<string>();
const NO_CALLS = new Map<string, number>();

/** What a request asks for. */
export class PremiumDemand implements PremiumOffer {
  hasHourWrites = false;
  isCompacted = false;
  multipliers = NO_NAMES;
  /** The most calls of each tool. */
  toolCalls = NO_CALLS;
  /** The most calls of all tools together; undefined if each has its own limit. */
  totalCalls: number | undefined = undefined;
  /** The most tokens of one result. */
  resultTokens = RESULT_TOKENS;
  optionalTools = NO_NAMES;

  hourWrites(): boolean {
    return (this.hasHourWrites = true);
  }

  multiplier(option: string): boolean {
    if (this.multipliers === NO_NAMES) this.multipliers = new Set();
    this.multipliers.add(option);
    return true;
  }

  tool(name: string, { maxCalls = DEFAULT_TOOL_CALLS, totalCalls, resultTokens = 0, isOptional = false }: ToolTerms): boolean {
    if (this.toolCalls === NO_CALLS) this.toolCalls = new Map();
    this.toolCalls.set(name, totalCalls ?? (this.toolCalls.get(name) ?? 0) + maxCalls);
    this.totalCalls = totalCalls;
    this.resultTokens = Math.max(this.resultTokens, resultTokens);
    if (isOptional) this.#addOptional(name);
    return true;
  }

  compaction(): boolean {
    return (this.isCompacted = true);
  }

  /** The same demand with the tools for which this holds. */
  withTools(isServed: (tool: string) => boolean): PremiumDemand {
    const demand = new PremiumDemand();
    const { hasHourWrites, isCompacted, totalCalls, resultTokens } = this;
    const multipliers = new Set(this.multipliers);
    const toolCalls = new Map([...this.toolCalls].filter(([tool]) => isServed(tool)));
    const optionalTools = new Set([...this.optionalTools].filter(isServed));
    return Object.assign(demand, { hasHourWrites, isCompacted, multipliers, toolCalls, totalCalls, resultTokens, optionalTools });
  }

  #addOptional(tool: string): void {
    if (this.optionalTools === NO_NAMES) this.optionalTools = new Set();
    this.optionalTools.add(tool);
  }

  /** The same demand at the usual rates. */
  withoutMultipliers(): PremiumDemand {
    return Object.assign(
      this.withTools(() => true),
      { multipliers: NO_NAMES },
    );
  }

  withoutOptionalTools(): PremiumDemand {
    return this.withTools((tool) => !this.optionalTools.has(tool));
  }

  get isEmpty(): boolean {
    return !this.hasHourWrites && !this.isCompacted && this.multipliers.size === 0 && this.toolCalls.size === 0;
  }
}

/** Whether a tool of the Messages API takes a limit of its calls, `max_uses`. */
export function isLimitable(type: unknown): boolean {
  return /^web_(?:search|fetch)_\d{8}$/.test(String(type));
}

/** Whether a tool of the Messages API takes a limit of the tokens in its results, `max_content_tokens`. */
export function hasLimitableResults(type: unknown): boolean {
  return /^web_fetch_\d{8}$/.test(String(type));
}

/** `web_search_20260209` is `web_search`, and so is `web_search_2025_08_26`. `tool_search_tool_bm25_20251119` is `tool_search`. */
export function toolNameOf(type: string): string {
  return type.replace(/_\d{4}_?\d\d_?\d\d$/, "").replace(/^tool_search_tool_\w+$/, "tool_search");
}

/** What a request may ask for besides tokens at the usual rates. Each method answers whether it is sold. */
export interface PremiumOffer {
  /** Writing to the prompt cache for an hour. */
  hourWrites(): boolean;
  /** An option that changes all rates, such as `fast`. */
  multiplier(option: string): boolean;
  /**
   * Calls of a tool that runs at the provider. `maxCalls`: undefined if the request sets no limit. `isOptional`: the request can be served
   * without it.
   */
  tool(name: string, maxCalls: number | undefined, isOptional?: boolean): boolean;
  /** Compaction of the conversation at the provider, which samples the model once more at the usual rates. */
  compaction(): boolean;
}

/** The calls of one tool for a request that sets no limit. The limit is added to the request where the API has one. */
export const DEFAULT_TOOL_CALLS = 5;

/** For requests that are translated. */
export const NOTHING_SOLD: PremiumOffer = {
  hourWrites: () => false,
  multiplier: () => false,
  tool: () => false,
  compaction: () => false,
};

/** What a request asks for. */
export class PremiumDemand implements PremiumOffer {
  hasHourWrites = false;
  isCompacted = false;
  readonly multipliers = new Set<string>();
  /** The most calls of each tool. */
  readonly toolCalls: Record<string, number> = {};
  readonly optionalTools = new Set<string>();

  hourWrites(): boolean {
    return (this.hasHourWrites = true);
  }

  multiplier(option: string): boolean {
    this.multipliers.add(option);
    return true;
  }

  tool(name: string, maxCalls = DEFAULT_TOOL_CALLS, isOptional = false): boolean {
    this.toolCalls[name] = (this.toolCalls[name] ?? 0) + maxCalls;
    if (isOptional) this.optionalTools.add(name);
    return true;
  }

  /** The same demand with the tools for which this holds. */
  withTools(isServed: (tool: string) => boolean): PremiumDemand {
    const demand = new PremiumDemand();
    Object.assign(demand, { hasHourWrites: this.hasHourWrites, isCompacted: this.isCompacted });
    for (const option of this.multipliers) demand.multiplier(option);
    for (const tool in this.toolCalls) if (isServed(tool)) demand.tool(tool, this.toolCalls[tool], this.optionalTools.has(tool));
    return demand;
  }

  compaction(): boolean {
    return (this.isCompacted = true);
  }

  withoutOptionalTools(): PremiumDemand {
    return this.withTools((tool) => !this.optionalTools.has(tool));
  }

  get hasToolCalls(): boolean {
    return Object.keys(this.toolCalls).length > 0;
  }

  get isEmpty(): boolean {
    return !this.hasHourWrites && !this.isCompacted && this.multipliers.size === 0 && !this.hasToolCalls;
  }
}

/** Whether a tool of the Messages API takes a limit of its calls, `max_uses`. */
export function isLimitable(type: unknown): boolean {
  return /^web_(?:search|fetch)_\d{8}$/.test(String(type));
}

/** `web_search_20260209` is `web_search`, and so is `web_search_2025_08_26`. `tool_search_tool_bm25_20251119` is `tool_search`. */
export function toolNameOf(type: string): string {
  return type.replace(/_\d{4}_?\d\d_?\d\d$/, "").replace(/^tool_search_tool_\w+$/, "tool_search");
}

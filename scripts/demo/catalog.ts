/** The catalog of the demo: models of real providers with their prices and routes. */
export interface DemoModel {
  readonly id: string;
  readonly ownedBy: string;
  /** Upstreams in failover order. */
  readonly upstreams: readonly string[];
  /** Dollars per million input and output tokens. */
  readonly price: readonly [input: number, output: number];
  readonly contextWindow: number;
  readonly capabilities: readonly string[];
  /** Time to first token, and time per output token. */
  readonly firstTokenMs: number;
  readonly tokenMs: number;
}

const TALKS = ["tools", "json_schema"] as const;

export const MODELS: readonly DemoModel[] = [
  {
    id: "claude-sonnet-4",
    ownedBy: "anthropic",
    upstreams: ["anthropic", "bedrock"],
    price: [3, 15],
    contextWindow: 200_000,
    capabilities: [...TALKS, "images"],
    firstTokenMs: 620,
    tokenMs: 14,
  },
  {
    id: "claude-3-5-haiku",
    ownedBy: "anthropic",
    upstreams: ["anthropic", "bedrock"],
    price: [0.8, 4],
    contextWindow: 200_000,
    capabilities: TALKS,
    firstTokenMs: 380,
    tokenMs: 9,
  },
  {
    id: "gemini-2.5-flash",
    ownedBy: "google",
    upstreams: ["google"],
    price: [0.3, 2.5],
    contextWindow: 1_048_576,
    capabilities: [...TALKS, "images"],
    firstTokenMs: 310,
    tokenMs: 6,
  },
  {
    id: "gpt-4.1",
    ownedBy: "openai",
    upstreams: ["openai", "azure"],
    price: [2, 8],
    contextWindow: 1_047_576,
    capabilities: [...TALKS, "images"],
    firstTokenMs: 540,
    tokenMs: 11,
  },
  {
    id: "gpt-4.1-mini",
    ownedBy: "openai",
    upstreams: ["openai", "azure"],
    price: [0.4, 1.6],
    contextWindow: 1_047_576,
    capabilities: [...TALKS, "images"],
    firstTokenMs: 350,
    tokenMs: 7,
  },
  {
    id: "gpt-4o",
    ownedBy: "openai",
    upstreams: ["openai"],
    price: [2.5, 10],
    contextWindow: 128_000,
    capabilities: [...TALKS, "images"],
    firstTokenMs: 510,
    tokenMs: 12,
  },
  {
    id: "llama-3.3-70b",
    ownedBy: "meta",
    upstreams: ["our-gpus"],
    price: [0.1, 0.2],
    contextWindow: 131_072,
    capabilities: TALKS,
    firstTokenMs: 240,
    tokenMs: 16,
  },
  {
    id: "mistral-large",
    ownedBy: "mistral",
    upstreams: ["mistral"],
    price: [2, 6],
    contextWindow: 131_072,
    capabilities: TALKS,
    firstTokenMs: 430,
    tokenMs: 10,
  },
];

export const DEPRECATED = { id: "gpt-4o", replacement: "gpt-4.1" } as const;

export const UPSTREAMS: readonly string[] = [...new Set(MODELS.flatMap(({ upstreams }) => upstreams))];

export function demoModel(id: string): DemoModel {
  return MODELS.find((model) => model.id === id)!;
}

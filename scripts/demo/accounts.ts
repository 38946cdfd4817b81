export interface DemoKey {
  readonly name: string;
  readonly account: string;
  /** The models that it calls, the most frequent first. */
  readonly calls: readonly string[];
  /** The account's share of the traffic. */
  readonly weight: number;
  readonly more?: object;
}

/** The accounts, with the credit granted to each. The first account exists from the start. */
export const ACCOUNTS: readonly { readonly id: string; readonly name: string; readonly credit: string }[] = [
  { id: "default", name: "Default", credit: "500" },
  { id: "storefront", name: "Storefront", credit: "1000" },
  { id: "research", name: "Research", credit: "600" },
  { id: "support", name: "Support desk", credit: "250" },
];

export const KEYS: readonly DemoKey[] = [
  { name: "product search", account: "storefront", calls: ["gpt-4.1-mini", "gemini-2.5-flash"], weight: 22 },
  { name: "checkout assistant", account: "storefront", calls: ["gpt-4.1", "gpt-4o"], weight: 13, more: { caps: { month: "300" } } },
  { name: "review summaries", account: "storefront", calls: ["claude-3-5-haiku"], weight: 10 },
  { name: "translations", account: "storefront", calls: ["mistral-large", "gemini-2.5-flash"], weight: 6 },
  { name: "staging", account: "storefront", calls: ["gpt-4.1-mini", "claude-sonnet-4"], weight: 2, more: { caps: { month: "20" } } },
  { name: "literature agent", account: "research", calls: ["claude-sonnet-4", "gpt-4.1"], weight: 11 },
  { name: "nightly evaluation", account: "research", calls: ["llama-3.3-70b", "claude-sonnet-4", "gpt-4.1"], weight: 8 },
  { name: "notebooks", account: "research", calls: ["gpt-4o", "claude-sonnet-4"], weight: 4 },
  { name: "ticket triage", account: "support", calls: ["claude-3-5-haiku", "gpt-4.1-mini"], weight: 14 },
  { name: "reply drafts", account: "support", calls: ["claude-sonnet-4"], weight: 6, more: { limits: { requests_per_minute: 120 } } },
  { name: "call transcripts", account: "support", calls: ["gemini-2.5-flash"], weight: 4 },
  { name: "old chat widget", account: "support", calls: ["gpt-4o"], weight: 1 },
];

export const PEOPLE: readonly object[] = [
  { email: "ada@example.com", name: "Ada Lovelace", role: "operator" },
  { email: "alan@example.com", name: "Alan Turing", role: "member", account: "research" },
  { email: "katherine@example.com", name: "Katherine Johnson", role: "member", account: "storefront" },
];

import type { NamedRates, WindowLimit } from "../../../src/money/limits.ts";

/** The usage of a key in a day or a month, as the gateway reports it. */
export interface Measures {
  readonly requests: number;
  readonly failed: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cost: string;
}

export interface ModelUsage {
  readonly model: string;
  readonly today: Measures;
  readonly this_month: Measures;
}

export interface TagUsage {
  readonly tag: string;
  /** `none` for requests without the tag. */
  readonly value: string;
  readonly today: Measures;
  readonly this_month: Measures;
}

interface Cap {
  readonly scope: "key" | "account";
  readonly period: "day" | "month" | "total";
  readonly cap: string;
  readonly remaining: string;
  readonly resets_at: string | null;
}

export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
}

export interface RecentRequest {
  readonly request_id: string;
  readonly ended_at: string;
  readonly model: string | null;
  readonly status: number;
  readonly outcome: string;
  readonly code: string | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly cost: string | null;
  readonly duration_ms: number;
}

export interface ListedModel {
  readonly id: string;
  readonly owned_by: string;
  readonly deprecated?: boolean;
  readonly shutdown_date?: string;
  readonly replacement?: string;
}

/** Limits or spend caps per end user, and per value of a tag, by the tag's name. */
export interface PerPart<Part> {
  readonly per_user: Part | null;
  readonly per_tag: Readonly<Record<string, Part>> | null;
}

/** Limits and spend caps as configured. A field that is null is unlimited. */
export interface Settings {
  readonly limits: PerPart<NamedRates>;
  readonly caps: PerPart<Readonly<Record<"day" | "month", string | null>>>;
}

/** The `usage` of a model list with `x-usage: 1`. */
export interface KeyUsage {
  readonly as_of: string;
  readonly key: { readonly id: string; readonly name: string; readonly expires_at: string | null };
  readonly today: Measures;
  readonly this_month: Measures;
  readonly by_model: readonly ModelUsage[];
  readonly by_tag: readonly TagUsage[];
  /** Null if the account does not show it. */
  readonly credit: string | null;
  readonly caps: readonly Cap[];
  readonly limits: Readonly<Record<WindowLimit["what"], LimitState | null>>;
  /** `account` is null if the account does not show its credit. */
  readonly settings: { readonly key: Settings; readonly account: Settings | null };
  readonly concurrent_requests: number | null;
  readonly recent_requests: readonly RecentRequest[];
}

/** The gateway's response for a key. */
export interface KeyView {
  readonly models: readonly ListedModel[];
  readonly usage: KeyUsage;
}

import type { Exclusion } from "../models/route-exclusion.ts";

/** What the platform API shows, as far as the commands print it. Amounts are dollars, as text. */

export interface LimitsView {
  readonly requests_per_minute: number | null;
  readonly tokens_per_minute: number | null;
  readonly concurrent_requests: number | null;
}

export interface CapsView {
  readonly day: string | null;
  readonly month: string | null;
  readonly total: string | null;
}

export interface SpentView {
  readonly day: string;
  readonly month: string;
  readonly total: string;
}

export interface KeyView {
  readonly id: string;
  readonly name: string;
  readonly account: string;
  readonly models: readonly string[];
  readonly held: string;
  readonly spent: SpentView;
  readonly limits: LimitsView;
  readonly caps: CapsView;
  readonly active: boolean;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly previous_key_works_until: string | null;
  readonly last_used_at: string | null;
}

export interface AccountView {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly models: readonly string[];
  readonly credit: string;
  readonly held: string;
  readonly available: string;
  readonly spent: SpentView;
  readonly limits: LimitsView;
  readonly caps: CapsView;
  readonly low_credit: string | null;
  readonly log_bodies: boolean;
  readonly managed_by: "operator" | "file";
}

export interface EntryView {
  readonly id?: number;
  readonly kind: "grant" | "adjustment" | "hold" | "settle" | "release";
  readonly account: string;
  readonly amount: string;
  readonly at: string;
  readonly actor: string;
  readonly reason: string;
  readonly reference?: string;
  readonly request_id?: string;
  readonly model?: string;
}

export interface RatesView {
  readonly input_per_million: number;
  readonly cached_input_per_million: number;
  readonly cache_write_per_million: number;
  readonly output_per_million: number;
  readonly reasoning_per_million: number;
}

export interface PriceView extends RatesView {
  readonly version: string;
  readonly effective_at: string;
  readonly source: string;
  readonly tiers: readonly (RatesView & { readonly above_input_tokens: number })[];
}

export interface ModelView {
  readonly id: string;
  readonly owned_by: string;
  readonly created_at: string;
  readonly state: "available" | "deprecated" | "retired";
  readonly shutdown_date: string | null;
  readonly replacement: string | null;
  readonly deprecated_at: string | null;
  readonly retired_at: string | null;
  readonly price: PriceView | null;
  readonly coming_prices: readonly PriceView[];
  readonly context_window: number | null;
  readonly max_output_tokens: number | null;
  readonly capabilities: readonly string[];
  /** Operators alone see these. */
  readonly managed_by?: "operator" | "file" | "environment";
  readonly deprecated_by?: string | null;
  readonly retired_by?: string | null;
  readonly routes?: readonly RouteView[];
  readonly parameters?: Readonly<Record<string, string | { readonly rename: string }>>;
  readonly unknown_parameters?: string | null;
  readonly timeouts?: Readonly<Record<string, number>>;
  readonly sticky?: boolean | null;
  readonly cache?: { readonly ttl_seconds: number; readonly price_percent: number } | null;
}

export interface RouteView {
  readonly upstream: string;
  readonly model: string;
  readonly priority: number;
  readonly weight: number;
  readonly max_price: { readonly input_per_million: number | null; readonly output_per_million: number | null } | null;
  readonly cost: PriceView | null;
  readonly left_out: Exclusion | null;
}

export interface FailedAttemptView {
  readonly upstream: string;
  readonly model: string;
  readonly fault: "unreachable" | "busy" | "credential" | "failed" | "slow" | "broken" | "unsupported";
  readonly duration_ms: number;
  readonly detail: string;
}

export interface ReceiptView {
  readonly request_id: string;
  readonly account: string;
  readonly key: string;
  readonly model: string;
  readonly state: "open" | "settled" | "released";
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly reason: string | null;
  readonly held: string;
  /** What that was for; with media, also how their tokens were derived. */
  readonly held_for: string;
  readonly charged: string | null;
  readonly uncharged: string | null;
  readonly price: PriceView | null;
  readonly provenance: "measured" | "partial" | "estimated" | null;
  readonly attempts: number | null;
  /** Operators alone see these. */
  readonly upstream?: string | null;
  readonly upstream_model?: string | null;
  readonly failed_attempts?: readonly FailedAttemptView[];
  readonly lines: readonly { readonly kind: string; readonly tokens: number; readonly per_million: number; readonly cost: string }[];
}

export interface RequestView {
  readonly request_id: string;
  readonly started_at: string;
  readonly ended_at: string;
  readonly account: string | null;
  readonly key: string | null;
  readonly key_name: string | null;
  readonly model: string | null;
  readonly stream: boolean;
  readonly status: number;
  readonly outcome: "complete" | "given_again" | "explained" | "refused" | "failed" | "left";
  readonly code: string | null;
  readonly param: string | null;
  readonly attempts: number;
  readonly from_cache: boolean;
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
  readonly provenance: "measured" | "partial" | "estimated" | null;
  readonly cost: string | null;
  readonly duration_ms: number;
  readonly first_token_ms: number | null;
  readonly overhead_ms: number | null;
  readonly request_bytes: number;
  readonly reply_bytes: number;
  readonly client: string | null;
  /** Operators alone see these. */
  readonly upstream?: string | null;
  readonly detail?: string | null;
}

export interface AttemptView {
  readonly upstream: string;
  readonly model: string;
  readonly started_ms: number;
  readonly duration_ms: number | null;
  readonly outcome: "answered" | "refused" | "abandoned" | FailedAttemptView["fault"] | null;
  readonly detail: string | null;
}

export interface RequestInFullView extends RequestView {
  readonly receipt: string | null;
  /** Operators alone see these. */
  readonly trace_id?: string | null;
  readonly all_attempts?: readonly AttemptView[];
  readonly bodies?: string | null;
}

export interface AuditView {
  readonly checked: { readonly entries: number; readonly accounts: number; readonly requests: number };
  readonly as_of_entry: number;
  readonly disagreement_count: number;
  readonly disagreements: readonly { readonly where: string; readonly what: string; readonly expected: string; readonly found: string }[];
}

export interface ChangeView {
  readonly id: number;
  readonly at: string;
  readonly actor: string;
  readonly actor_name: string;
  readonly address: string | null;
  readonly action: string;
  readonly target: { readonly kind: string; readonly id: string };
  readonly account: string | null;
  readonly before: object | null;
  readonly after: object | null;
}

export interface PersonView {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: "operator" | "member";
  readonly account: string | null;
  readonly has_password: boolean;
  readonly has_identity: boolean;
  readonly invited_until: string | null;
  readonly created_at: string;
  readonly disabled_at: string | null;
}

export interface AccessTokenView {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly active: boolean;
  readonly created_at: string;
  readonly expires_at: string;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
}

export interface WebhookView {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly allow_private: boolean;
  readonly alerts: readonly string[] | null;
  readonly paused: boolean;
  readonly paused_because: string | null;
  readonly previous_secret_signs_until: string | null;
  readonly created_at: string;
}

export interface DeliveryView {
  readonly id: number;
  readonly message_id: string;
  readonly type: string;
  readonly state: "pending" | "delivered" | "failed" | "dropped";
  readonly created_at: string;
  readonly next_try_at: string | null;
  readonly tries: readonly {
    readonly at: string;
    readonly status: number | null;
    readonly duration_ms: number;
    readonly problem: string | null;
  }[];
}

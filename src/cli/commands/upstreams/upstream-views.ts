/** What the platform API shows of upstreams, as far as the commands print it. */

export interface UpstreamView {
  readonly id: string;
  readonly preset: string | null;
  readonly dialect: string;
  readonly base_url: string | null;
  readonly allow_private: boolean;
  readonly timeouts: Readonly<Record<string, number>> | null;
  readonly concurrency: { readonly max_calls: number; readonly max_queued: number; readonly max_wait_ms: number } | null;
  readonly unknown_parameters: string | null;
  readonly credentials: readonly { readonly last4: string | null }[];
  readonly managed_by: "operator" | "file" | "environment";
  readonly models: readonly string[];
}

export interface HealthView {
  readonly upstream: string;
  readonly in_flight: number;
  readonly queued: number;
  readonly models: readonly {
    readonly model: string;
    readonly state: "in" | "out" | "due";
    readonly due_in_ms: number;
    readonly in_flight: number;
    readonly latency_ms: number | null;
    readonly recent_calls: number;
    readonly recent_failures: number;
  }[];
  readonly credentials: readonly {
    readonly last4: string | null;
    readonly cooling_for_ms: number;
    readonly reason: "busy" | "credential" | null;
    readonly models: readonly { readonly model: string; readonly cooling_for_ms: number }[];
  }[];
}

import type { UpstreamHealth } from "../../models/upstream-health.ts";
import type { BoundedNames } from "./bounded-names.ts";
import type { Family } from "./exposition.ts";
import { Series } from "./series.ts";

/** The identities of upstreams at clouds. */
export class IdentityMetrics {
  readonly #names: BoundedNames;
  readonly #nowMs: () => number;
  readonly #failures = Series.of("tollgate_upstream_identity_refresh_failures_total");
  /** The count of each upstream at the last scrape. It begins at zero with new settings; the metric must not go back. */
  readonly #seen = new Map<string, number>();

  constructor(names: BoundedNames, nowMs: () => number) {
    this.#names = names;
    this.#nowMs = nowMs;
  }

  families(health: Iterable<readonly [id: string, UpstreamHealth]>): readonly Family[] {
    const expiry = Series.of("tollgate_upstream_identity_expiry_seconds");
    for (const [id, { identity }] of health) {
      if (!identity) continue;
      const upstream = this.#names.of(id);
      const { expiresAtMs, refreshFailures } = identity;
      if (expiresAtMs !== undefined) expiry.cell({ upstream }).value = (expiresAtMs - this.#nowMs()) / 1000;
      const seen = this.#seen.get(id) ?? 0;
      this.#failures.cell({ upstream }).value += refreshFailures < seen ? refreshFailures : refreshFailures - seen;
      this.#seen.set(id, refreshFailures);
    }
    return [expiry, this.#failures];
  }
}

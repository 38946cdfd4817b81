import type { Attempt } from "../../requests/attempt.ts";
import { OTHER, type BoundedName, type BoundedNames } from "./bounded-names.ts";
import { ATTEMPT_OUTCOMES } from "./label-values.ts";
import { Series, type Tally } from "./series.ts";

type Tallies = Readonly<Record<(typeof ATTEMPT_OUTCOMES)[number], Tally>>;

/** Counts attempts at upstreams. */
export class AttemptMetrics {
  readonly family = Series.of("tollgate_attempts_total");
  readonly #names: BoundedNames;
  readonly #upstreams = new Map<string, Tallies>();

  constructor(upstreams: BoundedNames) {
    this.#names = upstreams;
  }

  note(attempts: readonly Pick<Attempt, "upstream" | "outcome">[]): void {
    for (const { upstream, outcome } of attempts) {
      const tallies = this.#upstreams.get(upstream) ?? this.#make(upstream);
      tallies[outcome ?? "unfinished"].value++;
    }
  }

  /**
   * Creates all outcomes of an upstream at once: to Prometheus a counter that appears with the value 1 has not increased, and the first
   * failure would be lost.
   */
  #make(upstream: string): Tallies {
    const name = this.#names.of(upstream);
    const tallies = this.#talliesOf(name);
    if (name !== OTHER) this.#upstreams.set(upstream, tallies);
    return tallies;
  }

  #talliesOf(upstream: BoundedName): Tallies {
    const entries = ATTEMPT_OUTCOMES.map((outcome) => [outcome, this.family.cell({ upstream, outcome })]);
    return Object.fromEntries(entries) as Tallies;
  }
}

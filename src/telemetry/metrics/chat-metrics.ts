import type { Outcome } from "../../requests/logged-request.ts";
import type { ModelEndpoint } from "../../money/attribution.ts";
import type { LimitHit } from "../../money/limits.ts";
import type { RequestTimings } from "../../requests/request-timings.ts";
import { BoundedNames, NONE, OTHER, type BoundedName } from "./bounded-names.ts";
import type { Family } from "./exposition.ts";
import { Histogram } from "./histogram.ts";
import { LIMITS, LIMIT_SCOPES, ATTEMPT_OUTCOMES } from "./label-values.ts";
import type { MeasuredRequest } from "./measured-request.ts";
import { ModelCells, ModelFamilies } from "./model-cells.ts";
import { Series, type Tally } from "./series.ts";
import type { Attempt } from "../../requests/attempt.ts";

/** The most models with their own label value: far more than most catalogs have. docs/metrics.md states the resulting number of series. */
export const MAX_MODELS = 1_000;

/** Counts requests to models as they end. It is on the hot path, so it only looks up the cells of the model and adds to them. */
export class ChatMetrics {
  readonly #names = new BoundedNames(MAX_MODELS);
  readonly #ofModels = new ModelFamilies();
  readonly #models = new Map<string, ModelCells>();
  readonly #none = new ModelCells(this.#ofModels, NONE);
  #others: ModelCells | undefined;
  readonly #attempts: AttemptMetrics;
  readonly #limitHits = Series.of("tollgate_limit_hits_total");
  readonly #requestBytes = Series.of("tollgate_request_bytes_total");
  readonly #replyBytes = Series.of("tollgate_reply_bytes_total");
  readonly #overhead = new Histogram("tollgate_gateway_overhead_seconds");
  readonly #cells = {
    requestBytes: this.#requestBytes.cell({}),
    replyBytes: this.#replyBytes.cell({}),
    overhead: this.#overhead.cell({}),
  };

  constructor(upstreams: BoundedNames) {
    this.#attempts = new AttemptMetrics(upstreams);
    for (const scope of LIMIT_SCOPES) for (const what of LIMITS) this.#limit({ scope, what });
  }

  note(request: MeasuredRequest, endpoint: ModelEndpoint, outcome: Outcome, timings: RequestTimings): void {
    const { notes } = request;
    const { charge } = notes;
    const cells = this.#cellsOf(notes.model);
    cells.note(request, endpoint, outcome, timings);
    if (charge) (notes.fallback ? this.#cellsOf(charge.model) : cells).noteCharge(charge);
    this.#attempts.note(notes.attempts);
    this.#cells.requestBytes.value += notes.requestBytes;
    this.#cells.replyBytes.value += notes.replyBytes;
    if (timings.overheadMs !== undefined) this.#cells.overhead.observe(timings.overheadMs / 1000);
    if (notes.limit) this.#limit(notes.limit).value++;
  }

  get families(): readonly Family[] {
    return [...this.#ofModels.all, this.#overhead, this.#requestBytes, this.#replyBytes, this.#limitHits, this.#attempts.family];
  }

  #cellsOf(model: string | undefined): ModelCells {
    return model === undefined ? this.#none : (this.#models.get(model) ?? this.#newCellsOf(model));
  }

  #newCellsOf(model: string): ModelCells {
    const name = this.#names.of(model);
    if (name === OTHER) return (this.#others ??= new ModelCells(this.#ofModels, OTHER));
    const cells = new ModelCells(this.#ofModels, name);
    this.#models.set(model, cells);
    return cells;
  }

  #limit({ scope, what }: LimitHit): { value: number } {
    return this.#limitHits.cell({ scope, limit: what });
  }
}

type Tallies = Readonly<Record<(typeof ATTEMPT_OUTCOMES)[number], Tally>>;

/** Counts attempts at upstreams. */
class AttemptMetrics {
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
   * Creates the counters for all outcomes of an upstream together: for Prometheus, a counter that first appears with the value 1 has not
   * increased, and the first failure would be lost.
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

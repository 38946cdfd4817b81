import { OUTCOMES, type Outcome } from "../../requests/logged-request.ts";
import { MODEL_ENDPOINTS, type ModelEndpoint } from "../../money/attribution.ts";
import type { RequestTimings } from "../../requests/request-timings.ts";
import type { Provenance, Usage } from "../../money/usage.ts";
import type { BoundedName } from "./bounded-names.ts";
import type { Family } from "./exposition.ts";
import { Histogram, type Distribution } from "./histogram.ts";
import { STATUSES, UNKNOWN_STATUS } from "./label-values.ts";
import type { MeasuredRequest } from "./measured-request.ts";
import { Series, type DollarTally, type Tally } from "./series.ts";

/** The metrics of each model. */
export class ModelFamilies {
  readonly requests = Series.of("tollgate_requests_total");
  readonly durations = new Histogram("tollgate_request_duration_seconds");
  readonly firstTokens = new Histogram("tollgate_time_to_first_token_seconds");
  readonly perToken = new Histogram("tollgate_time_per_output_token_seconds");
  readonly tokens = Series.of("tollgate_tokens_total");
  readonly charged = Series.ofDollars("tollgate_charged_dollars_total");
  readonly uncharged = Series.ofDollars("tollgate_uncharged_dollars_total");
  readonly lookups = Series.of("tollgate_cache_lookups_total");
  readonly fallbacks = Series.of("tollgate_fallbacks_total");

  get all(): readonly Family[] {
    const { requests, durations, firstTokens, perToken, tokens, charged, uncharged, lookups, fallbacks } = this;
    return [requests, durations, firstTokens, perToken, tokens, charged, uncharged, lookups, fallbacks];
  }
}

/** The token counters of one provenance. */
interface TokenCells {
  readonly input: Tally;
  readonly cached: Tally;
  readonly cacheWrite: Tally;
  readonly output: Tally;
  readonly reasoning: Tally;
}

/** The counters of one model, created on first use: most models never see most statuses. */
export class ModelCells {
  readonly #families: ModelFamilies;
  readonly #model: BoundedName;
  readonly #requests = new Map<number, Tally>();
  readonly #duration: Distribution;
  #firstToken: Distribution | undefined;
  #perToken: Distribution | undefined;
  readonly #tokens: Partial<Record<Provenance, TokenCells>> = {};
  #money: { readonly charged: DollarTally; readonly uncharged: DollarTally } | undefined;
  readonly #lookups: { hit?: Tally; miss?: Tally } = {};

  constructor(families: ModelFamilies, model: BoundedName) {
    this.#families = families;
    this.#model = model;
    this.#duration = families.durations.cell({ model });
  }

  note({ status, notes }: MeasuredRequest, endpoint: ModelEndpoint, outcome: Outcome, timings: RequestTimings): void {
    const { cache, fallback } = notes;
    this.#requestsOf(endpoint, status, outcome, notes.isStream).value++;
    this.#noteTimings(timings);
    if (cache) (this.#lookups[cache] ??= this.#families.lookups.cell({ model: this.#model, result: cache })).value++;
    if (fallback) this.#families.fallbacks.cell({ model: this.#model, reason: fallback.reason }).value++;
  }

  /** Adds the charge for a response of this model, including responses as a fallback for another model. */
  noteCharge(charge: NonNullable<MeasuredRequest["notes"]["charge"]>): void {
    this.#noteTokens(charge.provenance, charge.usage);
    this.#money ??= this.#makeMoney();
    this.#money.charged.nanos += charge.amountNanos;
    if (charge.unchargedNanos > 0n) this.#money.uncharged.nanos += charge.unchargedNanos;
  }

  #noteTimings({ durationMs, firstTokenMs, perTokenMs }: RequestTimings): void {
    this.#duration.observe(durationMs / 1000);
    if (firstTokenMs !== undefined) {
      (this.#firstToken ??= this.#families.firstTokens.cell({ model: this.#model })).observe(firstTokenMs / 1000);
    }
    if (perTokenMs !== undefined) (this.#perToken ??= this.#families.perToken.cell({ model: this.#model })).observe(perTokenMs / 1000);
  }

  #noteTokens(provenance: Provenance, usage: Usage): void {
    const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = usage;
    const cells = (this.#tokens[provenance] ??= this.#makeTokens(provenance));
    cells.input.value += promptTokens - cachedTokens - cacheWriteTokens;
    cells.cached.value += cachedTokens;
    cells.cacheWrite.value += cacheWriteTokens;
    cells.output.value += completionTokens - reasoningTokens;
    cells.reasoning.value += reasoningTokens;
  }

  #requestsOf(endpoint: ModelEndpoint, status: number, outcome: Outcome, isStream: boolean): Tally {
    const ending = (status * OUTCOMES.length + OUTCOMES.indexOf(outcome)) * 2 + Number(isStream);
    const key = ending * MODEL_ENDPOINTS.length + MODEL_ENDPOINTS.indexOf(endpoint);
    let tally = this.#requests.get(key);
    if (!tally) this.#requests.set(key, (tally = this.#makeRequests(endpoint, status, outcome, isStream)));
    return tally;
  }

  #makeRequests(endpoint: ModelEndpoint, status: number, outcome: Outcome, isStream: boolean): Tally {
    const known = STATUSES.find((each) => each === String(status)) ?? UNKNOWN_STATUS;
    return this.#families.requests.cell({ model: this.#model, endpoint, status: known, outcome, stream: isStream ? "true" : "false" });
  }

  #makeTokens(provenance: Provenance): TokenCells {
    const { tokens } = this.#families;
    const model = this.#model;
    return {
      input: tokens.cell({ model, kind: "input", provenance }),
      cached: tokens.cell({ model, kind: "cached_input", provenance }),
      cacheWrite: tokens.cell({ model, kind: "cache_write", provenance }),
      output: tokens.cell({ model, kind: "output", provenance }),
      reasoning: tokens.cell({ model, kind: "reasoning", provenance }),
    };
  }

  #makeMoney(): { readonly charged: DollarTally; readonly uncharged: DollarTally } {
    const labels = { model: this.#model };
    return { charged: this.#families.charged.cell(labels), uncharged: this.#families.uncharged.cell(labels) };
  }
}

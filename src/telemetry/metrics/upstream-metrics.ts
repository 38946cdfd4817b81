import { DEVIATIONS, type Deviation, type DeviationCount } from "../../models/deviation.ts";
import { COOLING_REASONS, ROUTE_STATES, type UpstreamHealth } from "../../models/upstream-health.ts";
import { BoundedNames, type BoundedName } from "./bounded-names.ts";
import type { Family } from "./exposition.ts";
import { Series } from "./series.ts";

export const MAX_UPSTREAMS = 200;
export const MAX_UPSTREAM_MODELS = 1_000;

/** The names of upstreams and their models, shared by several metrics. */
export class UpstreamNames {
  readonly upstreams = new BoundedNames(MAX_UPSTREAMS);
  readonly models = new BoundedNames(MAX_UPSTREAM_MODELS);
}

/** The current health of upstreams. Upstreams beyond the name limit are summed. */
export function upstreamFamilies(health: Iterable<readonly [id: string, UpstreamHealth]>, names: UpstreamNames): readonly Family[] {
  const inFlight = Series.of("tollgate_upstream_calls_in_flight");
  const queued = Series.of("tollgate_upstream_calls_queued");
  const cooling = Series.of("tollgate_upstream_credentials_cooling");
  const ofModels = new UpstreamModelFamilies();
  for (const [id, { inFlight: calls, queued: waiting, credentials, models }] of health) {
    const upstream = names.upstreams.of(id);
    inFlight.cell({ upstream }).value += calls;
    queued.cell({ upstream }).value += waiting;
    for (const reason of COOLING_REASONS) {
      cooling.cell({ upstream, reason }).value += credentials.filter((each) => each.coolForMs > 0 && each.reason === reason).length;
    }
    for (const model of models) ofModels.add(names.models.pair(id, model.upstreamModel), model);
  }
  return [inFlight, queued, cooling, ...ofModels.all];
}

class UpstreamModelFamilies {
  readonly #states = Series.of("tollgate_upstream_model_state");
  readonly #inFlight = Series.of("tollgate_upstream_model_calls_in_flight");

  add([upstream, model]: readonly [BoundedName, BoundedName], { state, inFlight }: UpstreamHealth["models"][number]): void {
    const labels = { upstream, upstream_model: model };
    for (const each of ROUTE_STATES) this.#states.cell({ ...labels, state: each }).value += Number(each === state);
    this.#inFlight.cell(labels).value += inFlight;
  }

  get all(): readonly Family[] {
    return [this.#states, this.#inFlight];
  }
}

/** Format deviations of upstream responses. */
export function deviationFamily(deviations: readonly DeviationCount[], names: UpstreamNames): Family {
  const family = Series.of("tollgate_deviations_total");
  for (const { upstream, counts } of deviations) {
    for (const [deviation, count] of Object.entries(counts)) {
      if (!Object.hasOwn(DEVIATIONS, deviation)) continue;
      family.cell({ upstream: names.upstreams.of(upstream), deviation: deviation as Deviation }).value += count;
    }
  }
  return family;
}

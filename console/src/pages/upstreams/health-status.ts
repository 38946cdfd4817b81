import type { Route, UpstreamHealth } from "../../platform/interface.ts";
import { duration } from "../../parts/format.ts";
import type { Tone } from "../../parts/tone.ts";

/** How something fares, in a word. */
export interface Standing {
  readonly word: string;
  readonly tone: Tone;
  /** Why, or for how long. */
  readonly more?: string;
}

type ModelHealth = UpstreamHealth["models"][number];

type CredentialHealth = UpstreamHealth["credentials"][number];

export function credentialStanding({ cooling_for_ms: ms, reason, models }: CredentialHealth): Standing {
  if (ms === 0) return { word: "in use", tone: "good" };
  if (reason === "credential") {
    return { word: "cooling down", tone: "bad", more: `It was refused, or has no money behind it: for another ${duration(ms)}.` };
  }
  const limits = models.map((each) => `${each.model} for another ${duration(each.cooling_for_ms)}`);
  return { word: "cooling down", tone: "warn", more: `It has reached a rate limit: ${limits.join(", ")}.` };
}

/** Whether no credential can be used for a model: a rate limit is one model's, a refusal is for every model. */
function hasNoCredential(model: string, credentials: readonly CredentialHealth[]): boolean {
  if (credentials.length === 0) return false;
  return credentials.every(({ reason, models }) => reason === "credential" || models.some((each) => each.model === model));
}

export function modelStanding(health: ModelHealth): Standing {
  const { model, state, due_in_ms: ms, recent_calls: calls, recent_failures: failures } = health;
  if (state === "out") return { word: "left out", tone: "bad", more: `It failed too often. It is tried again in ${duration(ms)}.` };
  if (state === "due") return { word: "on trial", tone: "warn", more: "The next call decides." };
  if (calls === 0) return NOT_KNOWN;
  // It is left out after some more of them. Until then it has its share of the calls, and loses most.
  if (failures * 2 > calls) return { word: "failing", tone: "warn", more: `${failures} of the last ${calls} calls of ${model} failed.` };
  return { word: "working", tone: "good" };
}

/** What is known begins anew with other settings. Calls that were refused, for their credential or what they ask for, tell nothing. */
const NOT_KNOWN: Standing = {
  word: "not known yet",
  tone: "plain",
  more: "No call has shown it since the start, or since its settings were changed.",
};

/** How an upstream fares as a whole: the worst of what is known of it. */
export function upstreamStanding({ credentials, models, in_flight: underWay }: UpstreamHealth): Standing {
  const cooling = credentials.filter((credential) => credential.cooling_for_ms > 0);
  const out = models.filter(({ state }) => state === "out");
  if (out.length > 0) return { word: "left out", tone: "bad", more: `Left out for now: ${out.map(({ model }) => model).join(", ")}.` };
  if (cooling.length > 0) {
    const isAll = credentials.every(({ reason }) => reason === "credential");
    const without = models.filter(({ model }) => hasNoCredential(model, credentials)).map(({ model }) => model);
    const some = without.length > 0 ? `No credential can be used for ${without.join(", ")}.` : undefined;
    const more = isAll
      ? "Every credential has a cooldown."
      : (some ?? `${cooling.length} of ${credentials.length} credentials have a cooldown.`);
    return { word: "cooling down", tone: isAll || (without.length > 0 && without.length === models.length) ? "bad" : "warn", more };
  }
  const worst = models.map(modelStanding).find(({ tone }) => tone === "warn");
  if (worst) return worst;
  return models.some(({ recent_calls: calls }) => calls > 0) || underWay > 0 ? { word: "working", tone: "good" } : NOT_KNOWN;
}

/** The status of one route of a model: by its weight, its price, its upstream and its name there. */
export function routeStanding({ model, left_out: leftOut }: Pick<Route, "model" | "left_out">, health: UpstreamHealth): Standing {
  if (leftOut === "drained") return { word: "drained", tone: "plain", more: "Its weight is 0: it gets no calls." };
  if (leftOut === "too_dear") return { word: "too dear", tone: "warn", more: "The provider's price is above what the route may cost." };
  if (leftOut === "price_unknown")
    return { word: "price unknown", tone: "warn", more: "No price is published that could be held against its cap." };
  const known = health.models.find((each) => each.model === model);
  const standing = known ? modelStanding(known) : NOT_KNOWN;
  if (standing.tone === "bad") return standing;
  const isCooling = hasNoCredential(model, health.credentials);
  return isCooling
    ? { word: "cooling down", tone: "bad", more: "Every credential of the upstream has a cooldown for this model." }
    : standing;
}

/** The least time in which any of its models has begun its last answer: how far away it is. */
export function latencyOf({ models }: UpstreamHealth): number | undefined {
  const known = models.flatMap(({ latency_ms: ms }) => (ms === null ? [] : [ms]));
  return known.length === 0 ? undefined : Math.min(...known);
}

/** Latencies come in whole milliseconds. */
export function latency(ms: number): string {
  return ms < 1 ? "<1 ms" : duration(ms);
}

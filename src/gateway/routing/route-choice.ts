import { affinity } from "./session-affinity.ts";
import type { Credential } from "./health/credential-cooldown.ts";
import type { RouteSelection } from "./select-route.ts";
import { statusOf, type Candidate } from "./route-candidates.ts";

/**
 * Why a route was chosen: it is the `only` ready one at its priority; it is `probing`, and this call probes it; session affinity
 * (`session_affinity`); it was `load_balanced` by weight and load; the selection of the model, by its name; or none is ready, and it is available the `soonest`.
 */
export type ChoiceReason = "only" | "probing" | "session_affinity" | "load_balanced" | RouteSelection["name"] | "soonest";

/** What a failure excludes for the rest of a request: the route, its credential for this upstream model, or for every model. */
export type FailureScope = "route" | "rate limit" | "credential";

/** The target of one attempt. */
export interface Target extends Candidate {
  readonly credential: Credential;
  readonly reason: ChoiceReason;
}

/** A drawn route loses its call to the other one only if its load score is this much higher: below, weights decide and not noise. */
const MIN_SCORE_RATIO = 2;

/** A failure rate of 10 % weighs as much as twice the latency. */
const FAILURE_WEIGHT = 10;

/** Added to each latency: a difference of so much does not matter, and the jitter of a fast server must not double its score. */
const LATENCY_OFFSET_MS = 50;

/** Added to each number of calls: so few are noise, and a route that is idle for a moment must not take calls beyond its weight. */
const CALLS_OFFSET = 3;

const NOTHING: ReadonlySet<never> = new Set();

/** In place of a model name: the credential was rejected for every model. */
const EVERY_MODEL = Symbol("every model");

/**
 * Load balancing and failover: the choice among a model's routes, for each attempt of one request. The lowest priority with a ready route goes
 * first. Within it, session affinity decides where it is on; otherwise power of two choices: the better of two routes drawn by weight. A
 * route that is ejected, cooling or full is chosen only where no other remains: the last one is never excluded.
 */
export class RouteChoice {
  readonly #candidates: readonly Candidate[];
  readonly #session: bigint | undefined;
  readonly #selection: RouteSelection | undefined;
  readonly #random: () => number;
  #failed: ReadonlySet<Candidate> = NOTHING;
  /** The credentials that have failed, and for which upstream models; undefined while none has. */
  #tried: Map<Credential, Set<string | symbol>> | undefined;

  constructor(
    candidates: readonly Candidate[],
    session: bigint | undefined,
    selection?: RouteSelection,
    random: () => number = Math.random,
  ) {
    this.#candidates = candidates;
    this.#session = session;
    this.#selection = selection;
    this.#random = random;
  }

  /** Whether a route can serve the request, at once or after a wait in the queue of its upstream. */
  get isAvailable(): boolean {
    return this.#candidates.some((each) => isReady(each, each.state.credentials) || hasQueue(each));
  }

  /** The target of the next attempt; undefined where every route was tried. */
  next(): Target | undefined {
    const [first] = this.#candidates;
    if (this.#candidates.length === 1 && first!.state.credentials.length === 1 && this.#tried === undefined && this.#failed === NOTHING) {
      return toTarget(first!, first!.state.credentials[0]!, "only");
    }
    const untried = this.#candidates.filter((each) => !this.#failed.has(each) && this.#untried(each).length > 0);
    if (untried.length === 0) return undefined;
    const ready = untried.filter((each) => isReady(each, this.#untried(each)));
    const [chosen, reason] = ready.length > 0 ? this.#pick(firstGroup(ready)) : ([this.#soonest(untried), "soonest"] as const);
    return toTarget(chosen, this.#credentialOf(chosen), reason);
  }

  /** Excludes a failed target. Where the credential was the reason, another credential of the route may be used. */
  exclude(target: Target, scope: FailureScope): void {
    // Another model of the same upstream may use the same credential, which a failure of this route does not concern.
    if (scope === "route") this.#failed = new Set(this.#failed).add(this.#candidates.find(({ route }) => route === target.route)!);
    else this.#excludeCredential(target.credential, scope === "credential" ? EVERY_MODEL : target.route.upstreamModel);
  }

  #excludeCredential(credential: Credential, model: string | symbol): void {
    this.#tried ??= new Map();
    const models = this.#tried.get(credential);
    if (models) models.add(model);
    else this.#tried.set(credential, new Set([model]));
  }

  #pick(group: readonly Candidate[]): readonly [Candidate, ChoiceReason] {
    if (group.length === 1) return [group[0]!, "only"];
    // A half-open route is probed by one of its own sessions: no other session has to leave its cache for that.
    if (this.#session !== undefined) return [this.#byAffinity(group, this.#session), "session_affinity"];
    // This call probes a half-open route; until it ends the route gets no other.
    const due = group.find(({ health, account }) => health.stateFor(account) === "probing");
    if (due) return [due, "probing"];
    return this.#selection ? [this.#select(group, this.#selection), this.#selection.name] : [this.#betterOfTwo(group), "load_balanced"];
  }

  #byAffinity(group: readonly Candidate[], session: bigint): Candidate {
    return best(group, ({ route }) => affinity(session, `${route.upstream}\n${route.upstreamModel}`, route.weight));
  }

  /** Of several that are equally good, by weight. */
  #select(group: readonly Candidate[], selection: RouteSelection): Candidate {
    const equal = selection.among(group);
    return equal.length === 1 ? equal[0]! : this.#draw(equal);
  }

  #betterOfTwo(group: readonly Candidate[]): Candidate {
    const first = this.#draw(group);
    const second = this.#draw(group.filter((each) => each !== first));
    const callsPerWeight = sum(group, ({ health }) => health.inFlight) / sum(group, ({ route }) => route.weight);
    const scoreOf = (one: Candidate, other: Candidate): number => latencyOf(one, other) * loadOf(one, callsPerWeight) * penaltyOf(one);
    return scoreOf(first, second) > MIN_SCORE_RATIO * scoreOf(second, first) ? second : first;
  }

  /** A full route serves a call after a wait, unless its queue is full too; of the others, the one that is available first. */
  #soonest(candidates: readonly Candidate[]): Candidate {
    return best(candidates, (each) => {
      const { route, health, state, account } = each;
      const cooldownMs = Math.min(...this.#untried(each).map((credential) => credential.cooldownMs(route.upstreamModel, account)));
      const isFull = state.slots.isFull && state.slots.isQueueFull;
      const waitMs = Math.max(health.stateFor(account) === "ejected" ? health.dueInMs + 1 : 0, cooldownMs);
      return isFull ? Number.MIN_SAFE_INTEGER : -waitMs - state.slots.queued / 1_000_000;
    });
  }

  #draw(group: readonly Candidate[]): Candidate {
    let at = this.#random() * sum(group, ({ route }) => route.weight);
    return group.find(({ route }) => (at -= route.weight) < 0) ?? group.at(-1)!;
  }

  /** Providers cache prompts per account, so a session stays with its credential too. */
  #credentialOf(candidate: Candidate): Credential {
    const untried = this.#untried(candidate);
    if (untried.length === 1) return untried[0]!;
    const { account, route } = candidate;
    const { upstreamModel } = route;
    const ready = untried.filter((each) => each.cooldownMs(upstreamModel, account) === 0);
    if (ready.length === 0) return best(untried, (each) => -each.cooldownMs(upstreamModel, account));
    const session = this.#session;
    if (session === undefined) return ready[Math.floor(this.#random() * ready.length)]!;
    return best(ready, (each) => affinity(session, String(candidate.state.credentials.indexOf(each)), 1));
  }

  #untried({ route, state }: Candidate): readonly Credential[] {
    const tried = this.#tried;
    if (!tried) return state.credentials;
    return state.credentials.filter((each) => {
      const models = tried.get(each);
      return !models?.has(EVERY_MODEL) && !models?.has(route.upstreamModel);
    });
  }
}

/** For most requests, which succeed in the first attempt at the only route, nothing else is allocated. */
function toTarget(candidate: Candidate, credential: Credential, reason: ChoiceReason): Target {
  const { account, chat, route, upstream, state, health, parameterMapping, limits } = candidate;
  return { account, chat, route, upstream, state, health, parameterMapping, limits, credential, reason };
}

function isReady(candidate: Candidate, untried: readonly Credential[]): boolean {
  const status = statusOf(candidate, untried);
  return status === "ready" || status === "probing";
}

function hasQueue(candidate: Candidate): boolean {
  return statusOf(candidate) === "full" && !candidate.state.slots.isQueueFull;
}

function firstGroup(candidates: readonly Candidate[]): Candidate[] {
  const priority = Math.min(...candidates.map(({ route }) => route.priority));
  return candidates.filter(({ route }) => route.priority === priority);
}

/** Ignored unless it is known for both: a route that hangs would look like the fastest. */
function latencyOf({ health }: Candidate, { health: other }: Candidate): number {
  return other.latencyMs === undefined || health.latencyMs === undefined ? 1 : health.latencyMs + LATENCY_OFFSET_MS;
}

/** The calls in flight, relative to the share of its weight. */
function loadOf({ health, route }: Candidate, callsPerWeight: number): number {
  return (health.inFlight + CALLS_OFFSET) / (route.weight * callsPerWeight + CALLS_OFFSET);
}

/** A failure costs another attempt. */
function penaltyOf({ health }: Candidate): number {
  return 1 + FAILURE_WEIGHT * health.failureRate;
}

function sum<T>(things: readonly T[], amount: (thing: T) => number): number {
  return things.reduce((total, thing) => total + amount(thing), 0);
}

function best<T>(things: readonly T[], scoreOf: (thing: T) => number): T {
  let [found] = things;
  let highest = Number.NEGATIVE_INFINITY;
  for (const thing of things) {
    const value = scoreOf(thing);
    if (value > highest) [found, highest] = [thing, value];
  }
  return found!;
}

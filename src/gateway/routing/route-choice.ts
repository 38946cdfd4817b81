import { attraction } from "./session-affinity.ts";
import type { Credential } from "./health/credential-cooldown.ts";
import { standingOf, type Candidate } from "./route-candidates.ts";

/**
 * Why a route was chosen: it is the `only` one that is ready at its priority; it is `due` for a call that shows whether it is back; the
 * `conversation` stays there; it was `drawn` by weight and load; or nothing is ready, and it is the `soonest`.
 */
export type Why = "only" | "due" | "conversation" | "drawn" | "soonest";

/** What a failure rules out for the rest of a request: the route, its credential for this upstream model, or for every model. */
export type FailureScope = "route" | "rate limit" | "credential";

/** Where one try goes. */
export interface Target extends Candidate {
  readonly credential: Credential;
  readonly why: Why;
}

/** A route has to be this much costlier than another to lose a call to it: below, weights decide and not chance. */
const MUCH = 2;

/** One that fails every tenth call is as costly as one that takes twice as long. */
const FAILURES_WEIGH = 10;

/** Nobody waits for a model and notices so much more or less. Next to it, the jitter of a fast server is not twice as long. */
const UNNOTICED_MS = 50;

/** So few calls more or less are chance: one that is idle for a moment must not take those that belong elsewhere by weight. */
const FEW = 3;

const NOTHING: ReadonlySet<never> = new Set();

/** In the place of the name of a model: the credential was refused for all of them. */
const EVERY_MODEL = Symbol("every model");

/**
 * The choice among a model's routes for one request, try by try. The lowest priority that has a route in use goes first. In it, a
 * conversation that is to stay where its prompt is cached goes there; any other call goes to the better of two that are drawn by
 * weight. What is out, cooling or full is chosen only where nothing else is left: the last one is never left out.
 */
export class RouteChoice {
  readonly #candidates: readonly Candidate[];
  readonly #conversation: bigint | undefined;
  readonly #random: () => number;
  #spent: ReadonlySet<Candidate> = NOTHING;
  /** The credentials that have failed, and for which upstream models; undefined while none has. */
  #tried: Map<Credential, Set<string | symbol>> | undefined;

  constructor(candidates: readonly Candidate[], conversation: bigint | undefined, random: () => number = Math.random) {
    this.#candidates = candidates;
    this.#conversation = conversation;
    this.#random = random;
  }

  /** Where the next try goes; undefined where everything was tried. */
  next(): Target | undefined {
    const [first] = this.#candidates;
    if (this.#candidates.length === 1 && first!.state.credentials.length === 1 && this.#tried === undefined && this.#spent === NOTHING) {
      return toTarget(first!, first!.state.credentials[0]!, "only");
    }
    const left = this.#candidates.filter((each) => !this.#spent.has(each) && this.#untried(each).length > 0);
    if (left.length === 0) return undefined;
    const ready = left.filter((each) => isReady(each, this.#untried(each)));
    const [chosen, why] = ready.length > 0 ? this.#pick(firstGroup(ready)) : ([this.#soonest(left), "soonest"] as const);
    return toTarget(chosen, this.#credentialOf(chosen), why);
  }

  /** It was tried and has failed. Where that was about the credential, another of them may do. */
  failed(target: Target, scope: FailureScope): void {
    // Another model of the same upstream goes by the same credential, which is none the worse for what this one did.
    if (scope === "route") this.#spent = new Set(this.#spent).add(this.#candidates.find(({ route }) => route === target.route)!);
    else this.#ruleOut(target.credential, scope === "credential" ? EVERY_MODEL : target.route.upstreamModel);
  }

  #ruleOut(credential: Credential, model: string | symbol): void {
    this.#tried ??= new Map();
    const models = this.#tried.get(credential);
    if (models) models.add(model);
    else this.#tried.set(credential, new Set([model]));
  }

  #pick(group: readonly Candidate[]): readonly [Candidate, Why] {
    if (group.length === 1) return [group[0]!, "only"];
    // One of its own conversations will show whether a route is back: no other has to leave its cache for that.
    if (this.#conversation !== undefined) return [this.#drawnTo(group, this.#conversation), "conversation"];
    // Whoever is due shows with this call whether it is back; until then nobody else is sent there.
    const due = group.find(({ health }) => health.state === "due");
    return due ? [due, "due"] : [this.#betterOfTwo(group), "drawn"];
  }

  #drawnTo(group: readonly Candidate[], conversation: bigint): Candidate {
    return best(group, ({ route }) => attraction(conversation, `${route.upstream}\n${route.upstreamModel}`, route.weight));
  }

  #betterOfTwo(group: readonly Candidate[]): Candidate {
    const first = this.#draw(group);
    const second = this.#draw(group.filter((each) => each !== first));
    const callsPerWeight = sum(group, ({ health }) => health.inFlight) / sum(group, ({ route }) => route.weight);
    const costOf = (one: Candidate, other: Candidate): number => latencyOf(one, other) * loadOf(one, callsPerWeight) * troubleOf(one);
    return costOf(first, second) > MUCH * costOf(second, first) ? second : first;
  }

  /** One that is merely full serves a call in its turn, unless too many wait there; of the others, the one that is back first. */
  #soonest(candidates: readonly Candidate[]): Candidate {
    return best(candidates, (each) => {
      const { route, health, state } = each;
      const coolForMs = Math.min(...this.#untried(each).map((credential) => credential.coolForMs(route.upstreamModel)));
      const isFull = state.slots.isFull && state.slots.isQueueFull;
      const waitMs = Math.max(health.state === "out" ? health.dueInMs + 1 : 0, coolForMs);
      return isFull ? Number.MIN_SAFE_INTEGER : -waitMs - state.slots.queued / 1_000_000;
    });
  }

  #draw(group: readonly Candidate[]): Candidate {
    let at = this.#random() * sum(group, ({ route }) => route.weight);
    return group.find(({ route }) => (at -= route.weight) < 0) ?? group.at(-1)!;
  }

  /** Caches are kept by account at the provider, so that a conversation stays with its credential too. */
  #credentialOf(candidate: Candidate): Credential {
    const untried = this.#untried(candidate);
    if (untried.length === 1) return untried[0]!;
    const { upstreamModel } = candidate.route;
    const ready = untried.filter((each) => each.coolForMs(upstreamModel) === 0);
    if (ready.length === 0) return best(untried, (each) => -each.coolForMs(upstreamModel));
    const conversation = this.#conversation;
    if (conversation === undefined) return ready[Math.floor(this.#random() * ready.length)]!;
    return best(ready, (each) => attraction(conversation, String(candidate.state.credentials.indexOf(each)), 1));
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

/** Most requests are answered at their first try, at the only place there is: nothing is made for them but this. */
function toTarget({ route, upstream, state, health, carriage }: Candidate, credential: Credential, why: Why): Target {
  return { route, upstream, state, health, carriage, credential, why };
}

function isReady(candidate: Candidate, untried: readonly Credential[]): boolean {
  const standing = standingOf(candidate, untried);
  return standing === "ready" || standing === "due";
}

function firstGroup(candidates: readonly Candidate[]): Candidate[] {
  const priority = Math.min(...candidates.map(({ route }) => route.priority));
  return candidates.filter(({ route }) => route.priority === priority);
}

/** What it has taken to answer. Where it is not known of both, it says nothing: one that hangs would look like the fastest. */
function latencyOf({ health }: Candidate, { health: other }: Candidate): number {
  return other.latencyMs === undefined || health.latencyMs === undefined ? 1 : health.latencyMs + UNNOTICED_MS;
}

/** How much it has to do already, beside what would be its share. */
function loadOf({ health, route }: Candidate, callsPerWeight: number): number {
  return (health.inFlight + FEW) / (route.weight * callsPerWeight + FEW);
}

/** What is failing costs a second try. */
function troubleOf({ health }: Candidate): number {
  return 1 + FAILURES_WEIGH * health.failureRate;
}

function sum<T>(things: readonly T[], amount: (thing: T) => number): number {
  return things.reduce((total, thing) => total + amount(thing), 0);
}

function best<T>(things: readonly T[], merit: (thing: T) => number): T {
  let [found] = things;
  let highest = Number.NEGATIVE_INFINITY;
  for (const thing of things) {
    const value = merit(thing);
    if (value > highest) [found, highest] = [thing, value];
  }
  return found!;
}

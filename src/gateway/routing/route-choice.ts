import { RATE_LIMITS, WINDOW_LIMITS } from "../../money/limits.ts";
import { type Model, type Route, costInForce } from "../../models/catalog.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import type { ModelRequest } from "../formats/caller-format.ts";
import { fieldNameIn } from "../formats/translation.ts";
import type { Admission } from "../admission/admission.ts";
import { ApiError, toRetryAfter } from "../../requests/api-error.ts";
import { priceInForce } from "../../money/price.ts";
import type { Gateway, FindUpstream } from "../gateway.ts";
import type { RelayedRequest, RelayTerms, Upstream } from "../../upstreams/upstream.ts";
import { parameterRules } from "../../models/parameters/dialect-parameters.ts";
import {
  SERVICE_TIER,
  type ParameterMapping,
  type ParameterPolicy,
  type ParameterRules,
  type UnknownHandling,
} from "../../models/parameters/parameter-policy.ts";
import type { PremiumDemand } from "../../requests/premium-demand.ts";
import { mapParameters, refusedIn } from "../../requests/map-parameters.ts";
import { withDefaults } from "../../requests/routes/with-defaults.ts";
import { exclusionOf, type Exclusion } from "../../models/route-exclusion.ts";
import type { RouteHealth } from "./health/route-health.ts";
import type { UpstreamState, UpstreamStates, Credential } from "./health/upstream-state.ts";
import type { Selection } from "../../models/selection.ts";
import type { Dialect } from "../../models/upstream-settings.ts";
import { isObject } from "../../lib/schema/schema.ts";
import type { LimitScope, LimitTicket } from "../../stores/limits/limit-store.ts";
import { overloadedFor } from "./slots/slots.ts";

/**
 * Why a route was chosen: `only` (the only ready route at its priority); `probing` (this call probes it); `session_affinity`;
 * `load_balanced` (by weight and load); the name of the model's route selection; or `soonest` (no route is ready, and this one is available
 * first).
 */
type ChoiceReason = "only" | "probing" | "session_affinity" | "load_balanced" | RouteSelection["name"] | "soonest";

/** What a failure excludes for the rest of a request: the route, its credential for this upstream model, or for every model. */
export type FailureScope = "route" | "rate limit" | "credential";

/** The target of one attempt. */
export interface Target extends Candidate {
  readonly credential: Credential;
  readonly reason: ChoiceReason;
}

/**
 * The second drawn route replaces the first only if the first route's score is more than this many times as high: smaller differences are
 * noise, and the weights decide.
 */
const MIN_SCORE_RATIO = 2;

/** A failure rate of 10 % weighs as much as twice the latency. */
const FAILURE_WEIGHT = 10;

/** Added to each latency: a difference of this size does not matter, and the jitter of a fast server must not double its score. */
const LATENCY_OFFSET_MS = 50;

/**
 * Added to each number of calls: a difference of this few calls is noise, and a route that is idle for a moment must not take calls beyond
 * its weight.
 */
const CALLS_OFFSET = 3;

const NOTHING: ReadonlySet<never> = new Set();

/** Used instead of a model name if the credential was rejected for every model. */
const EVERY_MODEL = Symbol("every model");

/**
 * Load balancing and failover: the choice among a model's routes, for each attempt of one request. The lowest priority with a ready route
 * goes first. Within that priority, session affinity decides if it is on; otherwise, power of two choices: the better of two routes drawn
 * by weight. A route that is ejected, cooling or full is chosen only if no other route remains: the last route is never excluded.
 */
export class RouteChoice {
  readonly #candidates: readonly Candidate[];
  readonly #session: bigint | undefined;
  readonly #selection: RouteSelection | undefined;
  readonly #random: () => number;
  #failed: ReadonlySet<Candidate> = NOTHING;
  /** The credentials that have failed, and the upstream models for which they failed; undefined while no credential has failed. */
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

  /** Whether a route can serve the request, immediately or after a wait in the queue of its upstream. */
  get isAvailable(): boolean {
    return this.#candidates.some((each) => isReady(each, each.state.credentials) || hasQueue(each));
  }

  /** The target of the next attempt; undefined once every route was tried. */
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

  /** Excludes a failed target. If its credential was the reason, another credential of the route may be used. */
  exclude(target: Target, scope: FailureScope): void {
    // Another model of the same upstream may still use the same credential, which is unaffected by the failure of this route.
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
    // A half-open route is probed by a request of one of its own sessions, so that no other session has to leave its prompt cache.
    if (this.#session !== undefined) return [this.#byAffinity(group, this.#session), "session_affinity"];
    // This call probes a half-open route, which gets no other call until this one ends.
    const due = group.find(({ health, account }) => health.stateFor(account) === "probing");
    if (due) return [due, "probing"];
    return this.#selection ? [this.#select(group, this.#selection), this.#selection.name] : [this.#betterOfTwo(group), "load_balanced"];
  }

  #byAffinity(group: readonly Candidate[], session: bigint): Candidate {
    return best(group, ({ route }) => affinity(session, `${route.upstream}\n${route.upstreamModel}`, route.weight));
  }

  /** Chooses by weight among routes that are equally good. */
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

  /**
   * If no route is ready: a full route, which serves the call after a wait, unless its queue is full too; otherwise, the route that is
   * available first.
   */
  #soonest(candidates: readonly Candidate[]): Candidate {
    return best(candidates, (each) => {
      const { route, health, state, account } = each;
      const cooldownMs = Math.min(...this.#untried(each).map((credential) => credential.cooldownMs(route.upstreamModel, account)));
      const isFull = state.slots.isFull && state.slots.isQueueFull;
      const waitMs = Math.max(health.stateFor(account) === "ejected" ? health.probeDueInMs + 1 : 0, cooldownMs);
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

/** Most requests succeed in the first attempt at the only route, and allocate nothing else. */
function toTarget(candidate: Candidate, credential: Credential, reason: ChoiceReason): Target {
  const { account, chat, route, upstream, state, health, parameterMapping, premium, limits } = candidate;
  return { account, chat, route, upstream, state, health, parameterMapping, premium, limits, credential, reason };
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

/** Latency is ignored unless it is known for both routes: a route that hangs would otherwise look like the fastest. */
function latencyOf({ health }: Candidate, { health: other }: Candidate): number {
  return other.latencyMs === undefined || health.latencyMs === undefined ? 1 : health.latencyMs + LATENCY_OFFSET_MS;
}

/** The calls in flight, relative to the route's weight. */
function loadOf({ health, route }: Candidate, callsPerWeight: number): number {
  return (health.inFlight + CALLS_OFFSET) / (route.weight * callsPerWeight + CALLS_OFFSET);
}

/** Failures raise the score, because each one costs another attempt. */
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

/** A route that can serve a request, with the state of its upstream. */
export interface Candidate {
  /** The account of the request: the health of a route may differ between accounts. */
  readonly account: string;
  /** The request, with the default parameters of the route. Undefined if the client's own body is relayed. */
  readonly chat: ChatRequest | undefined;
  readonly route: Route;
  readonly upstream: Upstream;
  readonly state: UpstreamState;
  readonly health: RouteHealth;
  readonly parameterMapping: ParameterMapping;
  /** What the route sends of what the hold covers besides tokens at the usual rates. Undefined for most requests. */
  readonly premium?: PremiumDemand | undefined;
  /** Undefined if the route has no rate limits. */
  readonly limits?: RouteLimits | undefined;
}

/**
 * The status of a route: `ready`; `probing` (half-open: the next call probes it); `full`, with all concurrency slots taken; `rate_limited`,
 * with one of the route's rate limits used up; `cooling`, with a cooldown on each of its credentials for its model; or `ejected`, by its
 * circuit breaker.
 */
type RouteStatus = "ready" | "probing" | "full" | "rate_limited" | "cooling" | "ejected";

/** The status with the credentials that this request has not tried. */
export function statusOf(
  { route, health, state, limits, account }: Candidate,
  untried: readonly Credential[] = state.credentials,
): RouteStatus {
  const circuit = health.stateFor(account);
  if (circuit === "ejected") return "ejected";
  if (!untried.some((each) => each.cooldownMs(route.upstreamModel, account) === 0)) return "cooling";
  if (limits?.isUsedUp) return "rate_limited";
  if (state.slots.isFull) return "full";
  return circuit === "probing" ? "probing" : "ready";
}

/** A route that cannot serve a request, whatever the state of its upstream. */
export interface ExcludedRoute {
  readonly route: Route;
  readonly reason: "no_upstream" | Exclusion | "unsupported_parameters";
  readonly error?: ApiError;
  /** The parameters that it does not support. */
  readonly refused?: readonly string[];
}

/** The routes of a model, by whether they can serve a request. */
interface RouteCandidates {
  readonly candidates: readonly Candidate[];
  readonly excluded: readonly ExcludedRoute[];
}

interface CandidateContext {
  readonly account: string;
  readonly findUpstream: FindUpstream;
  readonly states: UpstreamStates;
  readonly nowMs: number;
  /** What the hold covers besides tokens at the usual rates. */
  readonly premium?: PremiumDemand | undefined;
  /** The services that count the rate limits of routes. */
  readonly limiting: Pick<Gateway, "limits" | "monotonicMs">;
}

export function findCandidates(model: Model, modelRequest: ModelRequest, context: CandidateContext): RouteCandidates {
  const candidates: Candidate[] = [];
  const excluded: ExcludedRoute[] = [];
  for (const route of model.routes) {
    const upstream = context.findUpstream(route.upstream);
    const exclusion = exclusionOf(route, context.nowMs);
    if (!upstream || exclusion) {
      excluded.push({ route, reason: upstream ? exclusion! : "no_upstream" });
    } else {
      const found = isRelayed(modelRequest, upstream, route)
        ? relayedTo(modelRequest, route, upstream, model, context)
        : translatedFor(modelRequest, route, upstream, model, context);
      if ("reason" in found) excluded.push(found);
      else candidates.push(found);
    }
  }
  return { candidates, excluded };
}

/** Whether the upstream receives the client's body as it is, because both speak the same format. */
function isRelayed({ relayed }: ModelRequest, upstream: Upstream, { upstreamModel }: Route): boolean {
  return relayed !== undefined && (upstream.relays?.(relayed.relayedAs, upstreamModel) ?? false);
}

/** The route that passes on the client's body, or the reason why it cannot. */
function relayedTo(
  { relayed, outline }: ModelRequest,
  route: Route,
  upstream: Upstream,
  model: Model,
  context: CandidateContext,
): Candidate | ExcludedRoute {
  const terms = termsOrError(relayed!, upstream, route);
  if (terms instanceof ApiError) return unsupportedBy(route, terms);
  const { rules, droppedParts } = terms;
  const mapping = mapOrError(outline, rules, model.parameters, undefined);
  if (mapping instanceof ApiError) {
    return { route, reason: "unsupported_parameters", error: mapping, refused: refusedIn(outline, rules, model.parameters) };
  }
  const whole = droppedParts.length === 0 ? mapping : { ...mapping, droppedParts };
  return toCandidate(undefined, whole, context.premium, route, upstream, model, context);
}

function unsupportedBy(route: Route, error: ApiError): ExcludedRoute {
  return { route, reason: "unsupported_parameters", error, refused: error.param === null ? [] : [error.param] };
}

/** What the upstream takes of the request, or the error if it does not take it. */
function termsOrError(relayed: RelayedRequest, upstream: Upstream, { upstreamModel }: Route): RelayTerms | ApiError {
  try {
    return upstream.relayTerms!(relayed, upstreamModel);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** The route whose upstream receives a translation, or the reason why it cannot. */
function translatedFor(
  modelRequest: ModelRequest,
  route: Route,
  upstream: Upstream,
  model: Model,
  context: CandidateContext,
): Candidate | ExcludedRoute {
  const chat = chatOrError(modelRequest, upstream.settings.dialect);
  if (chat instanceof ApiError) return unsupportedBy(route, chat);
  const ownChat = route.defaults ? withDefaults(chat, route.defaults) : chat;
  const { outline } = ownChat;
  const rules = rulesFor(upstream, route, outline, context.premium);
  const unknown = model.unknownParameters ?? upstream.settings.unknownParameters;
  const parameterMapping = mapOrError(outline, rules, model.parameters, unknown);
  if (parameterMapping instanceof ApiError) {
    const { fieldNames } = modelRequest.format;
    const refused = refusedIn(outline, rules, model.parameters, unknown).map((name) => fieldNameIn(fieldNames, name));
    const error = modelRequest.toOwnTerms?.(parameterMapping) ?? parameterMapping;
    return { route, reason: "unsupported_parameters", error, refused };
  }
  const premium = context.premium && premiumSentBy(context.premium, outline, parameterMapping);
  return toCandidate(ownChat, parameterMapping, premium, route, upstream, model, context);
}

function rulesFor(
  { settings }: Upstream,
  { upstreamModel }: Route,
  outline: ChatRequest["outline"],
  premium: PremiumDemand | undefined,
): ParameterRules {
  const rules = parameterRules(settings, upstreamModel);
  return premium && hasTierOf(premium, outline) ? (rules.withTier ?? rules) : rules;
}

/** A route that drops the service tier is charged at the usual rates, and so is a translation, which has none. */
function premiumSentBy(premium: PremiumDemand, outline: ChatRequest["outline"], { dropped }: ParameterMapping): PremiumDemand {
  const isTierSent = hasTierOf(premium, outline) && !dropped.includes(SERVICE_TIER);
  return isTierSent || premium.multipliers.size === 0 ? premium : premium.withoutMultipliers();
}

function hasTierOf({ multipliers }: PremiumDemand, outline: ChatRequest["outline"]): boolean {
  const tier = outline[SERVICE_TIER];
  return typeof tier === "string" && multipliers.has(tier);
}

function toCandidate(
  chat: ChatRequest | undefined,
  parameterMapping: ParameterMapping,
  premium: PremiumDemand | undefined,
  route: Route,
  upstream: Upstream,
  model: Model,
  { account, states, limiting }: CandidateContext,
): Candidate {
  const state = states.of(upstream);
  const limits = route.limits && new RouteLimits(model.id, route, limiting);
  return { account, chat, route, upstream, state, health: state.healthOf(route.upstreamModel), parameterMapping, premium, limits };
}

/** The request in the chat-completions format, or the error if that format cannot express it. */
function chatOrError(modelRequest: ModelRequest, dialect: Dialect): ChatRequest | ApiError {
  try {
    return modelRequest.chatFor(dialect);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function mapOrError(
  outline: ChatRequest["outline"],
  rules: ParameterRules,
  policy: ParameterPolicy,
  unknown: UnknownHandling | undefined,
): ParameterMapping | ApiError {
  try {
    return mapParameters(outline, rules, policy, unknown);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** A route selection other than the default. */
interface RouteSelection {
  readonly name: Exclude<Selection, "weighted">;
  /** The best of these ready routes of one priority; several if they are equally good. */
  among(group: readonly Candidate[]): readonly Candidate[];
}

/** The route selection of a model; undefined for the default. With `isDryRun`, nothing is counted. */
export function selectionOf({ selection, routes }: Model, nowMs: number, isDryRun: boolean): RouteSelection | undefined {
  switch (selection) {
    case "exact":
      return {
        name: selection,
        among: (group) => [
          group[
            nextByShare(
              routes,
              group.map(({ route }) => route),
              !isDryRun,
            )
          ]!,
        ],
      };
    case "least_busy":
      return { name: selection, among: (group) => lowest(group, ({ health }) => health.inFlight) };
    case "lowest_latency":
      return { name: selection, among: fastest };
    case "lowest_cost":
      return { name: selection, among: (group) => lowest(group, (each) => costOf(each, nowMs)) };
    case "weighted":
    case undefined:
      return undefined;
  }
}

/**
 * A route without a measured value is tried first, by one request at a time. The value of a route decays while the route is not called, so
 * that it is tried again.
 */
function fastest(group: readonly Candidate[]): readonly Candidate[] {
  const unknown = group.filter(({ health }) => health.latencyMs === undefined);
  const untried = unknown.filter(({ health }) => health.inFlight === 0);
  if (untried.length > 0) return untried;
  return unknown.length === group.length ? group : lowest(group, ({ health }) => health.latencyMs ?? Number.POSITIVE_INFINITY);
}

/** In dollars per million input and output tokens together. An unknown cost comes last. */
function costOf({ route }: Candidate, nowMs: number): number {
  const rates = costInForce(route, nowMs)?.rates;
  return rates ? Number(rates.inputPicos + rates.outputPicos) : Number.POSITIVE_INFINITY;
}

function lowest(group: readonly Candidate[], amountOf: (candidate: Candidate) => number): readonly Candidate[] {
  const amounts = group.map(amountOf);
  const least = Math.min(...amounts);
  return group.filter((_, at) => amounts[at] === least);
}

/** The choices among one set of ready routes. */
interface Round {
  choices: number;
  readonly counts: number[];
}

/** The most sets of ready routes that are stored for a model; in practice there are fewer. Beyond this, all rounds of the model restart. */
const MAX_ROUNDS = 100;

/** The rounds of each model, by its ready routes. The rounds restart when the routes of the model change. */
const rounds = new WeakMap<readonly Route[], Map<string, Round>>();

/**
 * The next of these routes by their weights, exactly: after any number of choices among the same routes, none has received a whole request
 * more or less than its share. Earliest deadline first: the k-th request of a route with the share p comes between its choices ⌊(k-1)/p⌋
 * and ⌈k/p⌉. `isCounted` is false in a dry run. Returns the position in `ready`.
 */
export function nextByShare(all: readonly Route[], ready: readonly Route[], isCounted: boolean): number {
  const round = roundOf(all, ready);
  const total = sum(ready, ({ weight }) => weight);
  let chosen = 0;
  let earliest = Number.POSITIVE_INFINITY;
  ready.forEach(({ weight }, at) => {
    const count = round.counts[at]!;
    const isDue = count * total < (round.choices + 1) * weight;
    const deadline = Math.ceil(((count + 1) * total) / weight);
    if (isDue && deadline < earliest) [chosen, earliest] = [at, deadline];
  });
  if (isCounted) take(round, chosen, total);
  return chosen;
}

function take(round: Round, chosen: number, total: number): void {
  round.counts[chosen]!++;
  round.choices++;
  if (round.choices < total) return;
  // Every route has had its whole share.
  round.choices = 0;
  round.counts.fill(0);
}

function roundOf(all: readonly Route[], ready: readonly Route[]): Round {
  let ofModel = rounds.get(all);
  if (!ofModel) rounds.set(all, (ofModel = new Map()));
  const name = ready.map((route) => all.indexOf(route)).join();
  let round = ofModel.get(name);
  if (!round) {
    if (ofModel.size >= MAX_ROUNDS) ofModel.clear();
    ofModel.set(name, (round = { choices: 0, counts: ready.map(() => 0) }));
  }
  return round;
}

/** The part of each message that is hashed. The rest hardly ever distinguishes two conversations, and images are long. */
const HASHED_CHARS = 2_000;

/**
 * Identifies the session of a request within its account: by the name that the client gives it, or by the beginning of the conversation,
 * up to the first user message. Providers look up a cached prompt by its prefix, and each has its own cache.
 */
export function sessionOf({ session, conversation }: Pick<ModelRequest, "session" | "conversation">, accountId: string): bigint {
  const account = Bun.hash.wyhash(accountId);
  if (session !== undefined) return Bun.hash.wyhash(session, account);
  const firstUserMessage = conversation.findIndex(({ role }) => role === "user");
  const beginning = firstUserMessage < 0 ? conversation : conversation.slice(0, firstUserMessage + 1);
  return beginning.reduce((hash, { role, content }) => Bun.hash.wyhash(`${String(role)}:${hashedText(content)}`, hash), account);
}

function hashedText(content: unknown): string {
  if (typeof content === "string") return content.slice(0, HASHED_CHARS);
  if (!Array.isArray(content)) return "";
  const parts = content.map((part: unknown) => (isObject(part) && typeof part["text"] === "string" ? part["text"] : ""));
  return parts.join("\n").slice(0, HASHED_CHARS);
}

/**
 * The affinity of a session to one of several targets: weighted rendezvous hashing. A session stays with its target while the target is
 * available. Removing a target moves only the sessions of that target.
 */
export function affinity(session: bigint, target: string, weight: number): number {
  const uniform = (Number(Bun.hash.wyhash(target, session) >> 11n) + 0.5) / 2 ** 53;
  return weight / -Math.log(uniform);
}

type LimitDependencies = Pick<Gateway, "limits" | "monotonicMs">;

/** The rate limits of a route. They are counted like the limits of keys, so they are exact over all processes. */
export class RouteLimits {
  readonly #scopes: readonly LimitScope[];
  readonly #gateway: LimitDependencies;

  constructor(modelId: string, { upstream, upstreamModel, limits }: Route, gateway: LimitDependencies) {
    this.#scopes = [{ kind: "route", id: JSON.stringify([modelId, upstream, upstreamModel]), limits: limits! }];
    this.#gateway = gateway;
  }

  /** Whether a limit is used up. If another process does the counting, the result is only as recent as the last update from it. */
  get isUsedUp(): boolean {
    const states = this.#gateway.limits.state(this.#scopes, this.#gateway.monotonicMs());
    for (let at = 0; at < WINDOW_LIMITS.length; at++) if (states[WINDOW_LIMITS[at]!.what]?.remaining === 0) return true;
    return false;
  }

  /**
   * Counts a call of at most this many tokens. Throws `overloaded` if a limit would be exceeded: another route may have room. A call that
   * exceeds the limit by itself is allowed while no other call counts, so that it is not rejected forever.
   */
  take(tokens: number): LimitTicket | Promise<LimitTicket> {
    let most = tokens;
    for (let at = 0; at < WINDOW_LIMITS.length; at++) {
      if (WINDOW_LIMITS[at]!.counts === "tokens") most = Math.min(most, this.#scopes[0]!.limits.amounts[at] ?? most);
    }
    const taken = this.#gateway.limits.take(this.#scopes, most, this.#gateway.monotonicMs());
    return taken instanceof Promise ? taken.then(ticketOrThrow) : ticketOrThrow(taken);
  }
}

type LimitTakeResult = Awaited<ReturnType<Gateway["limits"]["take"]>>;

function ticketOrThrow(taken: LimitTakeResult): LimitTicket {
  if ("undo" in taken) return taken;
  throw limitReached(RATE_LIMITS.find(({ what }) => what === taken.what)!.many, taken.waitMs);
}

/** The same error as for a lack of slots: the limit is the operator's and not the caller's. Nothing was sent. */
export function limitReached(what: string, waitMs: number): ApiError {
  return overloadedFor(toRetryAfter(waitMs / 1000), `the route has reached its limit of ${what}`, { kind: "not_sent" });
}

/** The choice among the routes that can serve a request. Throws if no route can. */
export function chooseRoute(
  modelRequest: ModelRequest,
  admission: RoutedAdmission,
  gateway: Gateway,
  { candidates, excluded }: RouteCandidates = candidatesFor(modelRequest, admission, gateway),
  isDryRun = false,
): RouteChoice {
  if (candidates.length === 0) throw noUpstreamAvailable(excluded);
  const { model, accountId } = admission;
  const selection = model.selection && selectionOf(model, gateway.nowMs(), isDryRun);
  const isSticky =
    modelRequest.format.kind === "chat" &&
    (candidates.length > 1 || candidates[0]!.state.credentials.length > 1) &&
    hasSessionAffinity(model, candidates, gateway.nowMs());
  return new RouteChoice(candidates, isSticky ? sessionOf(modelRequest, accountId) : undefined, selection);
}

/** The part of an admission that determines its routes. */
export type RoutedAdmission = Pick<Admission, "model" | "findUpstream" | "accountId" | "premium">;

/** The routes of the model, by whether they can serve the request. */
export function candidatesFor(
  modelRequest: ModelRequest,
  { model, findUpstream, accountId: account, premium }: RoutedAdmission,
  gateway: Gateway,
): RouteCandidates {
  return findCandidates(model, modelRequest, {
    account,
    findUpstream,
    states: gateway.upstreamStates,
    nowMs: gateway.nowMs(),
    premium,
    limiting: gateway,
  });
}

/**
 * By default, session affinity is on if cached input is cheaper, and for requests that are passed on as they are: another account at the
 * provider could not decrypt their reasoning. It is off if the model sets a route selection.
 */
function hasSessionAffinity({ isSticky, selection = "weighted", prices }: Model, candidates: readonly Candidate[], nowMs: number): boolean {
  const rates = priceInForce(prices, nowMs)?.rates;
  const isCheaper = rates !== undefined && rates.cachedInputPicos < rates.inputPicos;
  return isSticky ?? (selection === "weighted" && (isCheaper || candidates.some(({ chat }) => chat === undefined)));
}

function noUpstreamAvailable(excluded: readonly ExcludedRoute[]): ApiError {
  const unsupported = excluded.find(({ error }) => error)?.error;
  if (unsupported) return unsupported;
  const detail = excluded.map(({ route, reason }) => `${route.upstream}: ${reason}`).join(", ");
  return new ApiError("no_upstream_available", "No upstream can serve this model at the moment.", { retryAfterSeconds: 5, detail });
}

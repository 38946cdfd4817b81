import type { Infer } from "../lib/schema/infer.ts";
import { declaredPrices, pricingProperties } from "../money/declared-price.ts";
import { declaredRoutesSchema, toRoute, viewRoute, type DeclaredRoute } from "./declared-route.ts";
import { declaredTimeoutsSchema, fromTimeouts, toTimeouts } from "./timeouts.ts";
import { CAPABILITIES, MODEL_KINDS, type Mirror, type Model, type ModelKind, type ModelState } from "./catalog.ts";
import { isWildcard, MAX_ID_LENGTH, MODEL_ID, WILDCARD_ID } from "./model-id.ts";
import { fallbackModelsSchema, toFallbacks } from "./fallbacks.ts";
import { parseIsoDate } from "../lib/time/iso-date.ts";
import { boundDefaults } from "./parameters/default-parameters.ts";
import {
  LIMIT_NAMES,
  NO_POLICY,
  parameterPolicySchema,
  unknownParametersSchema,
  FIELDS_WITHOUT_POLICY,
  type ParameterPolicy,
} from "./parameters/parameter-policy.ts";
import { VALIDATED_PARAMETERS } from "./parameters/validated-parameters.ts";
import { SELECTIONS } from "./selection.ts";
import { plainTextSchema } from "../lib/schema/plain-text.ts";
import type { Price } from "../money/price.ts";
import type { Fail, Schema } from "../lib/schema/schema.ts";
import { daySchema } from "../lib/schema/text-schema.ts";

/** The IDs of accounts. Code that knows all accounts checks whether each exists. */
const accountsSchema = {
  type: "array",
  minItems: 1,
  maxItems: 1000,
  items: { type: "string", minLength: 1, maxLength: 63 },
  description: "The accounts that may call it, by ID. For all others it does not exist.",
} as const satisfies Schema;

/** The id of a model, or of a wildcard model. */
export const modelIdSchema = {
  type: "string",
  maxLength: MAX_ID_LENGTH,
  pattern: `${MODEL_ID}|${WILDCARD_ID}`,
  patternInWords: "ASCII without spaces, more than dots, and with a * only at its end",
} as const satisfies Schema;

/** The fields that can be declared for a model in any state. */
export const modelProperties = {
  owned_by: { ...plainTextSchema, minLength: 1, maxLength: 200 },
  kind: { type: "string", enum: MODEL_KINDS, description: "What the model is for. Default: `chat`." },
  accounts: accountsSchema,
  ...pricingProperties,
  routes: declaredRoutesSchema,
  context_window: { type: "integer", minimum: 1 },
  max_output_tokens: { type: "integer", minimum: 1 },
  capabilities: { type: "array", items: { type: "string", enum: CAPABILITIES } },
  parameters: parameterPolicySchema,
  unknown_parameters: unknownParametersSchema,
  timeouts: declaredTimeoutsSchema,
  sticky: { type: "boolean" },
  selection: { type: "string", enum: SELECTIONS },
  cache: {
    title: "ResponseCacheInput",
    type: "object",
    form: "{ ttl_seconds: 3600 }",
    additionalProperties: false,
    required: ["ttl_seconds"],
    properties: {
      ttl_seconds: { type: "integer", minimum: 1, maximum: 2_592_000 },
      price_percent: { type: "integer", minimum: 0, maximum: 100 },
    },
  },
  mirror: {
    title: "MirrorInput",
    type: "object",
    form: "{ upstream: old-gateway, model: gpt-4o, percent: 5 }",
    additionalProperties: false,
    required: ["upstream", "model", "percent"],
    properties: {
      upstream: { type: "string", minLength: 1 },
      model: { ...plainTextSchema, minLength: 1 },
      percent: { type: "number", minimum: 0.01, maximum: 100 },
    },
  },
  fallback_models: fallbackModelsSchema,
} as const satisfies Record<string, Schema>;

/** A model in a config file, with its state. */
export const declaredModelSchema = {
  type: "object",
  additionalProperties: false,
  required: ["id", "routes"],
  properties: {
    id: modelIdSchema,
    ...modelProperties,
    state: { type: "string", enum: ["available", "deprecated", "retired"] },
    shutdown_date: daySchema,
    replacement: { type: "string", minLength: 1 },
  },
} as const satisfies Schema;

type ModelInFile = Infer<typeof declaredModelSchema>;

/** A model's state in a config file. */
export type DeclaredState = Pick<ModelInFile, "state" | "shutdown_date" | "replacement">;

/** A model in a config file or a request. */
export type DeclaredModel = Omit<ModelInFile, keyof DeclaredState | "routes"> & { readonly routes: readonly DeclaredRoute[] };

interface DeclaredContext {
  readonly createdSeconds: number;
  readonly state: ModelState;
  /** The provider's published prices, which apply if the operator has set none. */
  defaultPrices(route: DeclaredRoute, kind: ModelKind): readonly Price[];
}

/** The parsed declaration. */
export function toModel(declared: DeclaredModel, context: DeclaredContext, fail: Fail): Model {
  const { sticky, selection, kind = "chat" } = declared;
  const hasOutput = kind === "chat";
  const routes = declared.routes.map((route, at) => toRoute(route, context.defaultPrices(route, kind), ["routes", at], fail, hasOutput));
  const defaultsBound = boundDefaults(routes);
  // Vectors of different models cannot be compared.
  if (kind !== "chat" && declared.fallback_models?.length) fail(["fallback_models"], `cannot be declared for a model of the kind ${kind}`);
  if (sticky && selection !== undefined && selection !== "weighted")
    fail(["selection"], "cannot be combined with sticky: true, which selects by the conversation");
  return {
    id: declared.id,
    ownedBy: declared.owned_by ?? "tollgate",
    createdSeconds: context.createdSeconds,
    kind,
    state: context.state,
    ...(declared.accounts && { accounts: toAccounts(declared.accounts, fail) }),
    routes,
    ...(defaultsBound && { defaultsBound }),
    prices: declaredPrices(declared, fail, hasOutput) ?? context.defaultPrices(declared.routes[0]!, kind),
    contextWindow: declared.context_window,
    maxOutputTokens: declared.max_output_tokens,
    capabilities: declared.capabilities ?? [],
    parameters: declared.parameters === undefined ? NO_POLICY : toPolicy(declared.parameters, fail),
    unknownParameters: declared.unknown_parameters,
    timeouts: toTimeouts(declared.timeouts),
    isSticky: sticky,
    ...(selection !== undefined && { selection }),
    expandedFrom: undefined,
    cache: declared.cache && { ttlSeconds: declared.cache.ttl_seconds, pricePercent: declared.cache.price_percent ?? 0 },
    mirror: declared.mirror && toMirror(declared.mirror),
    fallbacks: toFallbacks(declared.fallback_models, fail),
  };
}

function toAccounts(ids: readonly string[], fail: Fail): ReadonlySet<string> {
  ids.forEach((id, at) => {
    if (ids.indexOf(id) < at) fail(["accounts", at], `repeats ${JSON.stringify(id)}`);
  });
  return new Set(ids);
}

/** Rejects a model that is restricted to an account that does not exist: it may be misspelt, and nobody could call the model. */
export function checkAccounts({ accounts = [] }: DeclaredModel, exists: (accountId: string) => boolean, fail: Fail): void {
  accounts.forEach((id, at) => {
    if (!exists(id)) fail(["accounts", at], `names ${JSON.stringify(id)}, and there is no such account`);
  });
}

/** The inverse of parsing: access, routing and caching as the API returns them. */
export function viewRouting({
  accounts,
  routes,
  parameters,
  unknownParameters,
  timeouts,
  isSticky,
  selection,
  cache,
  mirror,
  fallbacks,
}: Model) {
  return {
    accounts: accounts ? [...accounts] : null,
    routes: routes.map(viewRoute),
    parameters,
    unknown_parameters: unknownParameters ?? null,
    timeouts: fromTimeouts(timeouts),
    sticky: isSticky ?? null,
    selection: selection ?? "weighted",
    cache: cache ? { ttl_seconds: cache.ttlSeconds, price_percent: cache.pricePercent } : null,
    mirror: mirror ? { upstream: mirror.upstream, model: mirror.upstreamModel, percent: mirror.percent } : null,
    fallback_models: fallbacks,
  };
}

function toMirror({ upstream, model, percent }: NonNullable<DeclaredModel["mirror"]>): Mirror {
  return { upstream, upstreamModel: model, percent };
}

/**
 * Checks a wildcard model: the part of its ID that `*` stands for is the same as in its routes and its mirror. Called only for new
 * declarations: models that were stored before wildcard models existed may have any name.
 */
export function checkWildcard({ id, routes, mirror }: DeclaredModel, fail: Fail): void {
  const check = (model: string, path: (string | number)[]): void => {
    if (isWildcard(id) && !/^[^*]*\*$/.test(model)) fail(path, `must end with * and have no other *, as the model is ${id}`);
    if (!isWildcard(id) && isWildcard(model)) fail(path, `has a *, which is for wildcard models such as ${id}/*`);
  };
  routes.forEach(({ model }, at) => check(model, ["routes", at, "model"]));
  if (mirror) check(mirror.model, ["mirror", "model"]);
}

function toPolicy(declared: ParameterPolicy, fail: Fail): ParameterPolicy {
  const targets = new Set<string>();
  for (const [name, handling] of Object.entries(declared)) {
    if (FIELDS_WITHOUT_POLICY.has(name))
      fail(["parameters", name], "is a required part of every request and cannot be listed as a parameter");
    if (handling === "drop" && LIMITS.has(name)) fail(["parameters", name], "cannot be dropped: credit is set aside by it");
    if (typeof handling !== "object") continue;
    const { rename } = handling;
    const path = ["parameters", name, "rename"];
    if (FIELDS_WITHOUT_POLICY.has(rename))
      fail(path, `names ${rename}, which is a required part of every request and cannot be listed as a parameter`);
    const isValidated = VALIDATED.has(rename) && !(LIMITS.has(name) && LIMITS.has(rename));
    if (isValidated) fail(path, `names ${rename}, which is checked when a request comes in`);
    if (targets.has(rename)) fail(path, `names ${rename}, as another does`);
    targets.add(rename);
  }
  return declared;
}

const VALIDATED: ReadonlySet<string> = new Set(VALIDATED_PARAMETERS);

const LIMITS: ReadonlySet<string> = new Set(LIMIT_NAMES);

/** The inverse of `toState`: a state as the API returns it. */
export function viewState(state: ModelState) {
  return {
    state: state.name,
    shutdown_date: state.name === "deprecated" ? state.shutdownDate : null,
    replacement: state.name === "available" ? null : state.replacement,
  };
}

/** Parses the state in a file; rejects missing fields and fields of other states. */
export function toState({ state, shutdown_date: shutdownDate, replacement }: DeclaredState, fail: Fail): ModelState {
  if (state === "deprecated") {
    if (shutdownDate === undefined) return fail(["shutdown_date"], "is required on a deprecated model");
    if (parseIsoDate(shutdownDate) === undefined) return fail(["shutdown_date"], "is not a day of the calendar");
    if (replacement === undefined) return fail(["replacement"], "is required on a deprecated model");
    return { name: "deprecated", shutdownDate, replacement };
  }
  if (shutdownDate !== undefined) return fail(["shutdown_date"], "is allowed only with state: deprecated");
  if (state === "retired") {
    if (replacement === undefined) return fail(["replacement"], "is required on a retired model");
    return { name: "retired", replacement };
  }
  if (replacement !== undefined) return fail(["replacement"], "is allowed only with state: deprecated or retired");
  return { name: "available" };
}

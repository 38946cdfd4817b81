import type { Model, ModelState } from "./catalog.ts";
import { declaredPrices, declaredPriceSchema, type Pricing } from "./declared-price.ts";
import { idSchema } from "./declared-upstream.ts";
import { parseIsoDate } from "./iso-date.ts";
import type { Price } from "./price.ts";
import type { Fail, Schema } from "./schema.ts";

/** What a model can do, for people and programs that choose one. */
export const CAPABILITIES = ["tools", "images", "files", "audio", "json_schema", "reasoning", "caching"] as const;

export const daySchema: Schema = { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$", patternInWords: "a day such as 2027-01-31" };

/** What can be declared of a model, whatever its state. */
export const modelProperties = {
  owned_by: { type: "string", minLength: 1, maxLength: 200 },
  // One for now: a second would promise a fallback that is not there yet.
  routes: {
    type: "array",
    minItems: 1,
    maxItems: 1,
    items: {
      type: "object",
      additionalProperties: false,
      required: ["upstream", "model"],
      properties: { upstream: { type: "string" }, model: { type: "string", minLength: 1 } },
    },
  },
  free: { type: "boolean" },
  price: declaredPriceSchema,
  prices: { type: "array", minItems: 1, items: declaredPriceSchema },
  context_window: { type: "integer", minimum: 1 },
  max_output_tokens: { type: "integer", minimum: 1 },
  capabilities: { type: "array", items: { type: "string", enum: CAPABILITIES } },
} as const satisfies Record<string, Schema>;

/** A model as a file has it: with the state that it is in. */
export const declaredModelSchema: Schema = {
  type: "object",
  additionalProperties: false,
  required: ["id", "routes"],
  properties: {
    id: idSchema,
    ...modelProperties,
    state: { type: "string", enum: ["available", "deprecated", "retired"] },
    shutdown_date: daySchema,
    replacement: { type: "string", minLength: 1 },
  },
};

/** A model as a file or a request has it. */
export interface DeclaredModel extends Pricing {
  readonly id: string;
  readonly owned_by?: string;
  readonly routes: readonly { readonly upstream: string; readonly model: string }[];
  readonly context_window?: number;
  readonly max_output_tokens?: number;
  readonly capabilities?: readonly string[];
}

/** What a file says of a model's state. */
export interface DeclaredState {
  readonly state?: ModelState["name"];
  readonly shutdown_date?: string;
  readonly replacement?: string;
}

export interface DeclaredContext {
  readonly createdSeconds: number;
  readonly state: ModelState;
  /** What the provider publishes for its own model: in force where the operator has said nothing. */
  defaultPrices(route: DeclaredModel["routes"][number]): readonly Price[];
}

/** What is declared, ready for use. */
export function toModel(declared: DeclaredModel, context: DeclaredContext, fail: Fail): Model {
  return {
    id: declared.id,
    ownedBy: declared.owned_by ?? "tollgate",
    createdSeconds: context.createdSeconds,
    state: context.state,
    routes: declared.routes.map((route) => ({ upstream: route.upstream, upstreamModel: route.model })),
    prices: declaredPrices(declared, fail) ?? context.defaultPrices(declared.routes[0]!),
    contextWindow: declared.context_window,
    maxOutputTokens: declared.max_output_tokens,
    capabilities: declared.capabilities ?? [],
  };
}

/** A state as it is shown: the other way round. */
export function viewState(state: ModelState): Record<"state" | "shutdown_date" | "replacement", string | null> {
  return {
    state: state.name,
    shutdown_date: state.name === "deprecated" ? state.shutdownDate : null,
    replacement: state.name === "available" ? null : state.replacement,
  };
}

/** The state that a file gives a model: all that belongs to it, and nothing that does not. */
export function toState({ state, shutdown_date: shutdownDate, replacement }: DeclaredState, fail: Fail): ModelState {
  if (state === "deprecated") {
    if (shutdownDate === undefined) return fail(["shutdown_date"], "is required on a deprecated model");
    if (parseIsoDate(shutdownDate) === undefined) return fail(["shutdown_date"], "is not a day of the calendar");
    if (replacement === undefined) return fail(["replacement"], "is required on a deprecated model");
    return { name: "deprecated", shutdownDate, replacement };
  }
  if (shutdownDate !== undefined) return fail(["shutdown_date"], "goes with state: deprecated only");
  if (state === "retired") {
    if (replacement === undefined) return fail(["replacement"], "is required on a retired model");
    return { name: "retired", replacement };
  }
  if (replacement !== undefined) return fail(["replacement"], "goes with state: deprecated or retired only");
  return { name: "available" };
}

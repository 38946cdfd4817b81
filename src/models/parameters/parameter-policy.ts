import { plainTextSchema } from "../../lib/schema/plain-text.ts";
import type { Schema } from "../../lib/schema/schema.ts";

/** How a parameter of a request is handled on its way to an upstream. */
export type Handling = "pass" | "drop" | "refuse" | { readonly rename: string };

/** The handling of parameters, by name. */
export type ParameterPolicy = Readonly<Record<string, Handling>>;

/** The parameters that a dialect or a server supports. They apply unless the operator's policy says otherwise. */
export interface ParameterRules {
  readonly byName: ParameterPolicy;
  readonly others: "pass" | "drop";
  /**
   * The supported types of tools. Other types run at the provider, for a separate fee. Undefined if the dialect checks the types itself.
   */
  readonly toolTypes?: ReadonlySet<string>;
  /** The maximum of `top_logprobs`. Undefined if the server enforces its own maximum. */
  readonly maxTopLogprobs?: number;
  /** The rules for a request whose service tier has a price. Undefined if the server takes no tiers. */
  readonly withTier?: ParameterRules;
}

/** How unknown parameters are handled, which are neither in the format nor in any rule. */
export const UNKNOWN_HANDLINGS = ["pass", "drop", "refuse"] as const;

export type UnknownHandling = (typeof UNKNOWN_HANDLINGS)[number];

export const unknownParametersSchema = { type: "string", enum: UNKNOWN_HANDLINGS } as const satisfies Schema;

/** The parameters of one request that are dropped or renamed. The new name is never the name of another field in the request. */
export interface ParameterMapping {
  readonly dropped: readonly string[];
  readonly renamed: Readonly<Record<string, string>>;
  /** Parts of parameters, and betas, that are dropped. */
  readonly droppedParts?: readonly string[];
}

/** Every parameter is passed on unchanged. */
export const NO_CHANGES: ParameterMapping = { dropped: [], renamed: {} };

/** The operator has set no policy. */
export const NO_POLICY: ParameterPolicy = {};

export const NO_RULES: ParameterRules = { byName: {}, others: "pass" };

/** The two names of the output limit. */
export const LIMIT_NAMES = ["max_tokens", "max_completion_tokens"] as const;

/** The parameter whose values may have prices of their own. */
export const SERVICE_TIER = "service_tier";

/** Fields that are not parameters: no policy applies to them. */
export const FIELDS_WITHOUT_POLICY: ReadonlySet<string> = new Set(["model", "messages", "stream", "stream_options"]);

export const parameterPolicySchema = {
  type: "object",
  propertyNames: plainTextSchema,
  additionalProperties: {
    oneOf: [
      { type: "string", enum: ["pass", "drop", "refuse"] },
      {
        title: "ParameterRename",
        type: "object",
        form: "{ rename: other }",
        additionalProperties: false,
        required: ["rename"],
        properties: { rename: { ...plainTextSchema, minLength: 1 } },
      },
    ],
  },
} as const satisfies Schema;

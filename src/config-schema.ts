import { MODEL_ID, type ModelState } from "./vocabulary/catalog.ts";
import type { Schema } from "./vocabulary/schema.ts";
import { DIALECTS, type UpstreamSettings } from "./vocabulary/upstream-settings.ts";

const timeout: Schema = { type: "integer", minimum: 1, maximum: 86_400_000 };

/** Dollars for a million tokens; above the maximum somebody has mistaken the unit. */
const perMillion: Schema = { type: "number", minimum: 0, maximum: 1_000_000 };

const rates: Readonly<Record<string, Schema>> = {
  input_per_million: perMillion,
  output_per_million: perMillion,
  cached_input_per_million: perMillion,
  cache_write_per_million: perMillion,
  reasoning_per_million: perMillion,
};

const price: Schema = {
  type: "object",
  additionalProperties: false,
  required: ["input_per_million", "output_per_million"],
  properties: {
    ...rates,
    effective: { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$", patternInWords: "a day such as 2027-01-31" },
    tiers: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["above_input_tokens", "input_per_million", "output_per_million"],
        properties: { above_input_tokens: { type: "integer", minimum: 1 }, ...rates },
      },
    },
  },
};
const id: Schema = { type: "string", maxLength: 200, pattern: MODEL_ID, patternInWords: "ASCII without spaces and *" };

/** tollgate.yaml. docs/configuration.md explains every field, and a test keeps the two equal. */
export const configFileSchema: Schema = {
  type: "object",
  additionalProperties: false,
  required: ["upstreams", "models"],
  properties: {
    upstreams: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["id", "dialect"],
        properties: {
          id,
          dialect: { type: "string", enum: DIALECTS },
          base_url: { type: "string" },
          allow_private: { type: "boolean" },
          credential: { type: "string", pattern: "^[!-~]+$", patternInWords: "ASCII without spaces", isSecret: true },
          timeouts: {
            type: "object",
            additionalProperties: false,
            properties: { connect_ms: timeout, first_byte_ms: timeout, between_chunks_ms: timeout, total_ms: timeout },
          },
        },
      },
    },
    models: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["id", "routes"],
        properties: {
          id,
          owned_by: { type: "string", minLength: 1 },
          state: { type: "string", enum: ["available", "deprecated", "retired"] },
          shutdown_date: { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$", patternInWords: "a day such as 2027-01-31" },
          replacement: { type: "string", minLength: 1 },
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
          price,
          prices: { type: "array", minItems: 1, items: price },
          context_window: { type: "integer", minimum: 1 },
          max_output_tokens: { type: "integer", minimum: 1 },
        },
      },
    },
  },
};

/** An upstream as the file has it. */
export interface DeclaredUpstream {
  id: string;
  dialect: UpstreamSettings["dialect"];
  base_url?: string;
  allow_private?: boolean;
  credential?: string;
  timeouts?: { connect_ms?: number; first_byte_ms?: number; between_chunks_ms?: number; total_ms?: number };
}

/** Dollars for a million tokens of each kind. */
export interface DeclaredRates {
  input_per_million: number;
  output_per_million: number;
  cached_input_per_million?: number;
  cache_write_per_million?: number;
  reasoning_per_million?: number;
}

export interface DeclaredPrice extends DeclaredRates {
  effective?: string;
  tiers?: (DeclaredRates & { above_input_tokens: number })[];
}

/** A model as the file has it. */
export interface DeclaredModel {
  id: string;
  owned_by?: string;
  state?: ModelState["name"];
  shutdown_date?: string;
  replacement?: string;
  routes: { upstream: string; model: string }[];
  free?: boolean;
  price?: DeclaredPrice;
  prices?: DeclaredPrice[];
  context_window?: number;
  max_output_tokens?: number;
}

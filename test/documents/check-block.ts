import { parse, stringify } from "yaml";
import { importLiteLLM } from "../../src/cli/import/litellm/import-litellm.ts";
import { parseConfigFile } from "../../src/config/config-file.ts";
import { configFileSchema } from "../../src/config/file-schema.ts";
import { ERROR_CODES, type ErrorCode } from "../../src/requests/api-error.ts";
import { findChatViolation } from "../../src/requests/chat-request.ts";
import { fallbackIdsIn, type DeclaredFallback } from "../../src/models/fallbacks.ts";
import type { Block } from "./fenced-blocks.ts";

/**
 * How blocks of a language are checked without running them. Throws if a block is wrong. Shell commands are run instead:
 * shell-blocks.full.test.ts.
 */
export const CHECKS: Readonly<Record<string, (block: Block) => void>> = {
  "": refuseCommands,
  json: checkJson,
  yaml: checkYaml,
  toml: ({ text }) => void Bun.TOML.parse(text),
  regex: ({ text }) => void new RegExp(text.trim()),
  ini: checkIni,
  js: checkScript,
  ts: checkScript,
};

/** Output and diagrams have no language. A command in such a block would not be run. */
function refuseCommands({ text }: Block): void {
  const command = /^(npx|npm|curl|tollgate|docker|export) .*/m.exec(text)?.[0];
  if (command !== undefined) throw new Error(`give the block a language, so that it is run: ${command}`);
}

function checkScript({ text, language }: Block): void {
  new Bun.Transpiler({ loader: language as "js" | "ts" }).scan(text);
}

function checkIni({ text }: Block): void {
  const wrong = text.split("\n").find((line) => !/^(\[\w+\]|#.*|\w+=.*|)$/.test(line));
  if (wrong !== undefined) throw new Error(`not a line of a unit file: ${wrong}`);
}

interface Example {
  readonly messages?: unknown;
  readonly error?: { readonly code: ErrorCode; readonly type: string };
  readonly code?: ErrorCode;
  readonly status?: number;
}

/** Requests must be valid, and errors must have the status and the type of their code. */
function checkJson({ text }: Block): void {
  const { messages, error, code, status } = JSON.parse(text) as Example;
  const violation = messages === undefined ? undefined : findChatViolation(JSON.parse(text));
  if (violation) throw new Error(JSON.stringify(violation));
  const named = error?.code ?? code;
  if (named === undefined) return;
  const known = ERROR_CODES[named];
  if (error && known.type !== error.type) throw new Error(`${named} has the type ${known.type}`);
  if (status !== undefined && known.status !== status) throw new Error(`${named} has the status ${known.status}`);
}

const FILE_KEYS = Object.keys(configFileSchema.properties);
const MODEL_KEYS = Object.keys(configFileSchema.properties["models"].items.properties);
const LITELLM_KEYS = ["model_list", "litellm_settings", "router_settings", "general_settings"];

/** A complete or partial tollgate.yaml, or a file of LiteLLM. Files of other programs are marked as not run, and only parsed. */
function checkYaml({ text, note }: Block): void {
  const value = parse(text) as Record<string, unknown>;
  if (note?.kind === "not run") return;
  const isOf = (keys: readonly string[]): boolean => Object.keys(value).every((key) => keys.includes(key));
  if (isOf(FILE_KEYS)) checkConfig(text, value);
  else if (isOf(MODEL_KEYS))
    checkConfig(text, { models: [{ id: "example", routes: [{ upstream: "openai", model: "gpt-4o-mini" }], ...value }] });
  else if (isOf(LITELLM_KEYS)) importLiteLLM(stringify({ model_list: SAMPLE_DEPLOYMENTS, ...value }), "config.yaml");
  else throw new Error("neither of Tollgate nor of LiteLLM: say whose it is in a comment above it, <!-- not run: a file of Prometheus -->");
}

const SAMPLE_DEPLOYMENTS = [{ model_name: "example", litellm_params: { model: "openai/gpt-4o-mini" } }];

type Records = readonly {
  readonly id: string;
  readonly routes?: readonly { upstream: string }[];
  readonly replacement?: string;
  readonly fallback_models?: readonly DeclaredFallback[];
  readonly mirror?: { readonly upstream: string };
}[];

/** Adds the upstreams and models that the example refers to but does not show. */
function checkConfig(text: string, value: Record<string, unknown>): void {
  const { upstreams = [], models = [], ...rest } = value as { upstreams?: Records; models?: Records };
  const used = models.flatMap(({ routes = [], mirror }) => [...routes, ...(mirror ? [mirror] : [])].map(({ upstream }) => upstream));
  const others = models.flatMap(({ replacement, fallback_models: fallbacks }) => [
    ...(replacement === undefined ? [] : [replacement]),
    ...fallbackIdsIn(fallbacks),
  ]);
  const at = { dialect: "openai", base_url: "https://llm.example/v1", credential: "secret" };
  const complete = {
    ...rest,
    upstreams: [...upstreams, ...missing(upstreams, used).map((id) => ({ id, ...at }))],
    models: [...models, ...missing(models, others).map((id) => ({ id, routes: models[0]!.routes, price: PRICE }))],
  };
  const variables = [...text.matchAll(/\$\{(\w+)\}/g)].map((match) => [match[1]!, `a-secret-in-${match[1]}`]);
  parseConfigFile(stringify(complete), "tollgate.yaml", Object.fromEntries(variables) as Record<string, string>, Date.now());
}

const PRICE = { input_per_million: 1, output_per_million: 2 };

function missing(records: Records, ids: readonly string[]): string[] {
  return [...new Set(ids)].filter((id) => !records.some((record) => record.id === id));
}

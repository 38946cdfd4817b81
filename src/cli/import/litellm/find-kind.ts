import { MODEL_KINDS, type ModelKind } from "../../../models/catalog.ts";
import { kindByName } from "../../../models/kind-by-name.ts";
import { findDefaultMode } from "../../../models/prices/find-default-prices.ts";
import type { Endpoint } from "./endpoint/endpoint.ts";
import { withoutProvider } from "./price-of-base-model.ts";
import { quoted, UnsupportedError } from "./unsupported.ts";
import type { Fields } from "./yaml/fields.ts";

const SERVE_EMBEDDINGS: ReadonlySet<string> = new Set(["openai", "gemini", "bedrock"]);

/**
 * The kind of a deployment's model: by its mode, else by the price data, else by the names of the model and its base model. Throws
 * `UnsupportedError` for a model of another mode, and for a name that does not sound like chat, because it proves nothing.
 */
export function findKind(endpoint: Endpoint, info: Fields): ModelKind {
  const kind = statedKind(info) ?? kindOfNames(endpoint, info.peek("base_model")?.text);
  if (kind === "embedding" && !SERVE_EMBEDDINGS.has(endpoint.dialect))
    throw new UnsupportedError(`it is an embedding model, which upstreams of the format ${endpoint.dialect} do not serve`);
  return kind;
}

function statedKind(info: Fields): ModelKind | undefined {
  const stated = info.take("mode")?.text;
  if (stated === undefined) return undefined;
  const kind = kindOfMode(stated);
  if (kind) return kind;
  throw new UnsupportedError(`its mode is ${quoted(stated)}${insteadOf(stated)}`);
}

/** The name of a deployment may be arbitrary, so the data of its base model goes first. */
function kindOfNames(endpoint: Endpoint, base: string | undefined): ModelKind {
  const names = [...(base === undefined ? [] : [withoutProvider(base, endpoint)]), endpoint.model];
  const [known] = names.flatMap((name) => knownKind(endpoint, name) ?? []);
  if (known) return known;
  for (const name of names) rejectUnclear(name);
  return "chat";
}

/** Undefined if the price data does not have the model. */
function knownKind(endpoint: Endpoint, name: string): ModelKind | undefined {
  const mode = findDefaultMode(endpoint.sample, name);
  if (mode === undefined) return undefined;
  const kind = kindOfMode(mode);
  if (kind) return kind;
  const why = `the mode of ${quoted(name)} is ${mode} in the price data${insteadOf(mode)}`;
  throw new UnsupportedError(`${why}; if it is a chat model, set its model_info.mode to chat`);
}

function rejectUnclear(name: string): void {
  const kind = kindByName(name);
  if (kind === "chat") return;
  const why = `it is ${kind === "embedding" ? "named like an embedding model" : "not named like a chat model"}`;
  throw new UnsupportedError(`${why}, and the price data does not have it: set its model_info.mode to ${MODEL_KINDS.join(" or ")}`);
}

function kindOfMode(mode: string): ModelKind | undefined {
  return MODEL_KINDS.find((kind) => kind === mode);
}

function insteadOf(mode: string): string {
  if (mode === "responses") return ": declare it by hand, at an upstream with the dialect responses";
  return ", and Tollgate serves chat completions and embeddings";
}

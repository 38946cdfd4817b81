import { MODEL_ID, plainModel, type Model } from "../models/catalog.ts";
import { soundsLikeChat } from "../models/chat-model-names.ts";
import { GatewayError } from "../requests/gateway-error.ts";
import { nameSchema } from "../lib/schema/name-schema.ts";
import { presetOf } from "../models/presets.ts";
import { findViolation } from "../lib/schema/schema.ts";
import type { RemoteSettings } from "../models/upstream-settings.ts";
import { askForModels } from "./request-models.ts";
import type { Dialect, Dialects, ListedModel } from "./dialect.ts";
import { publicNames } from "./egress/public-names.ts";

/** What an upstream said when it was asked for its models. */
export interface Discovery {
  readonly upstream: RemoteSettings;
  /** Whether it answered as a model server does, if only that it has none. */
  readonly hasAnswered: boolean;
  readonly models: readonly Model[];
  /** Why there are none. */
  readonly problem: string | undefined;
}

/** A start waits this long for the slowest of them, and goes on without those that have not answered. */
const PATIENCE_MS = 2_000;

const CALLABLE = new RegExp(MODEL_ID);

/** Asks each upstream for its models. */
export function discoverModels(candidates: readonly RemoteSettings[], dialects: Dialects): Promise<Discovery[]> {
  return Promise.all(candidates.map((each) => discoverOne(each, dialects[each.dialect])));
}

async function discoverOne(upstream: RemoteSettings, dialect: Dialect): Promise<Discovery> {
  if (upstream.preset && presetOf(upstream.preset).isWithoutList) {
    return {
      upstream,
      hasAnswered: false,
      models: [],
      problem: "it has no list of them; name those that you use, with tollgate models create",
    };
  }
  try {
    const reply = await askForModels(upstream, dialect, PATIENCE_MS, new AbortController().signal);
    const text = await reply.text();
    if (reply.status !== 200) throw new Error(`it answered with status ${reply.status}`);
    const models = chatModelsOf(dialect.modelsIn(text), upstream.id);
    return { upstream, hasAnswered: true, models, problem: models.length === 0 ? "it lists no models" : undefined };
  } catch (error) {
    return { upstream, hasAnswered: false, models: [], problem: wordsOf(error) };
  }
}

/** For whoever runs the gateway: the detail, and not what a caller is told. */
function wordsOf(error: unknown): string {
  if (error instanceof GatewayError) return error.detail ?? error.message;
  return error instanceof Error ? error.message : String(error);
}

function chatModelsOf(listed: readonly ListedModel[], upstreamId: string): Model[] {
  const names = publicNames(listed.map(({ id }) => id));
  return listed.map((each, at) => toModel(names[at]!, each, upstreamId)).filter(({ id }) => CALLABLE.test(id) && soundsLikeChat(id));
}

function toModel(name: string, listed: ListedModel, upstreamId: string): Model {
  const { id, ownedBy, createdSeconds, contextWindow, maxOutputTokens } = listed;
  return {
    ...plainModel(name, { upstream: upstreamId, upstreamModel: id }),
    ownedBy: ownedBy !== undefined && !findViolation(nameSchema, ownedBy) ? ownedBy : upstreamId,
    createdSeconds: createdSeconds ?? 0,
    contextWindow,
    maxOutputTokens,
  };
}

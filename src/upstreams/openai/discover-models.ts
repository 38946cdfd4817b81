import { MODEL_ID, type Model } from "../../vocabulary/catalog.ts";
import { soundsLikeChat } from "../../vocabulary/chat-model-names.ts";
import { GatewayError } from "../../vocabulary/gateway-error.ts";
import { isObject } from "../../vocabulary/schema.ts";
import type { UpstreamSettings } from "../../vocabulary/upstream-settings.ts";
import { Destination } from "../destination.ts";
import { send } from "../send.ts";
import { headersFor, type OpenAISettings } from "./openai-endpoint.ts";

/** What an upstream said when it was asked for its models. */
export interface Discovery {
  readonly upstream: UpstreamSettings;
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
export function discoverModels(candidates: readonly UpstreamSettings[]): Promise<Discovery[]> {
  return Promise.all(candidates.map(discoverOne));
}

async function discoverOne(upstream: UpstreamSettings): Promise<Discovery> {
  try {
    const models = upstream.dialect === "openai" ? await askForModels(upstream) : [];
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

async function askForModels(upstream: OpenAISettings): Promise<Model[]> {
  const reply = await send({
    destination: new Destination(upstream),
    path: "/models",
    headers: headersFor(upstream, "application/json"),
    signal: new AbortController().signal,
    timeouts: { ...upstream.timeouts, totalMs: PATIENCE_MS },
    streaming: false,
  });
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`it answered with status ${reply.status}`);
  return modelsIn(text).flatMap((item) => toModel(item, upstream.id));
}

/** Together answers with a bare list, everybody else with one in `data`. */
export function modelsIn(text: string): unknown[] {
  const answer: unknown = JSON.parse(text);
  const list = isObject(answer) ? answer["data"] : answer;
  if (!Array.isArray(list)) throw new Error("it does not answer like a model server");
  return list;
}

function toModel(item: unknown, upstreamId: string): Model[] {
  if (!isObject(item) || typeof item["id"] !== "string" || !CALLABLE.test(item["id"]) || !soundsLikeChat(item["id"])) return [];
  const { id, created, owned_by: ownedBy } = item;
  return [
    {
      id,
      ownedBy: typeof ownedBy === "string" && /^\P{Cc}{1,100}$/u.test(ownedBy) ? ownedBy : upstreamId,
      createdSeconds: Number.isSafeInteger(created) ? (created as number) : 0,
      state: { name: "available" },
      routes: [{ upstream: upstreamId, upstreamModel: id }],
      prices: [],
      contextWindow: undefined,
      maxOutputTokens: undefined,
      capabilities: [],
    },
  ];
}

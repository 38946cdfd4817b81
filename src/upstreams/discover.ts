import type { Model } from "../vocabulary/catalog.ts";
import { isObject } from "../vocabulary/schema.ts";
import type { UpstreamSettings } from "../vocabulary/upstream-settings.ts";
import { send } from "./send.ts";

/** An upstream that answered, and the models it has. */
export interface Discovery {
  readonly upstream: UpstreamSettings;
  readonly models: readonly Model[];
}

/** A start waits this long for the slowest of them, and goes on without those that have not answered. */
const PATIENCE_MS = 2_000;

/** Models that providers list and that cannot chat. */
const NOT_CHAT = /embed|whisper|\btts\b|dall-e|moderation|gpt-image|realtime|transcribe|sora|rerank|babbage|davinci/i;

/** Asks each upstream for its models. One that is not there, or does not answer like a model server, is simply not found. */
export async function discover(candidates: readonly UpstreamSettings[]): Promise<Discovery[]> {
  const answers = await Promise.all(candidates.map(discoverOne));
  return answers.filter((answer) => answer !== undefined);
}

async function discoverOne(upstream: UpstreamSettings): Promise<Discovery | undefined> {
  if (upstream.dialect === "echo") return undefined;
  try {
    const headers: Record<string, string> = { accept: "application/json", "user-agent": "tollgate" };
    if (upstream.credential) headers["authorization"] = `Bearer ${upstream.credential.reveal()}`;
    const reply = await send({
      url: `${upstream.baseUrl}/models`,
      headers,
      signal: new AbortController().signal,
      timeouts: { ...upstream.timeouts, totalMs: PATIENCE_MS },
      streaming: false,
    });
    const list: unknown = JSON.parse(await reply.text());
    if (reply.status !== 200 || !isObject(list) || !Array.isArray(list["data"])) return undefined;
    const models = list["data"].flatMap((item: unknown) => toModel(item, upstream.id));
    return models.length > 0 ? { upstream, models } : undefined;
  } catch {
    return undefined;
  }
}

function toModel(item: unknown, upstreamId: string): Model[] {
  if (!isObject(item) || typeof item["id"] !== "string" || !/^[^*\s]{1,200}$/.test(item["id"]) || NOT_CHAT.test(item["id"])) return [];
  const { id, created, owned_by: ownedBy } = item;
  return [
    {
      id,
      ownedBy: typeof ownedBy === "string" && ownedBy !== "" ? ownedBy : upstreamId,
      createdSeconds: Number.isSafeInteger(created) ? (created as number) : 0,
      state: { name: "available" },
      routes: [{ upstream: upstreamId, upstreamModel: id }],
      price: undefined,
      contextWindow: undefined,
      maxOutputTokens: undefined,
    },
  ];
}

import { ENDPOINTS, type ModelEndpoint } from "../support/endpoints.ts";

/** A request that a client will send. */
export interface Ask {
  readonly endpoint: ModelEndpoint["name"];
  /** Sent in the prompt, so that the logs of the upstream and the client name the same request. */
  readonly marker: string;
  readonly model: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly idempotencyKey: string | undefined;
  /** Disconnects after this number of reads of a stream. */
  readonly leavesAfterReads: number | undefined;
}

/** One request, as its client recorded it. */
export interface Attempt {
  readonly keyId: string;
  readonly endpoint: Ask["endpoint"];
  readonly marker: string;
  readonly isIdempotent: boolean;
  /** The gateway that the request was sent to. */
  readonly baseUrl: string;
  readonly sentAtMs: number;
  readonly endedAtMs: number;
  /** `complete` is a response that any client would accept as complete: a complete JSON body with status 200, or a stream with its end. */
  readonly end: "complete" | "cut" | "left" | "refused" | "hung";
  readonly status: number | null;
  /** The code of the error with which the request was rejected. */
  readonly code: string | null;
  readonly retryAfter: string | null;
  readonly requestId: string | null;
  /** The request whose response was replayed. */
  readonly replays: string | null;
  /** The cost that the caller received, in a header or in the last chunk. */
  readonly cost: string | null;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  /** Hashes of the response's text, and of all its bytes. */
  readonly text: string;
  readonly bytes: string;
}

/** Far longer than any response takes: a client that waits this long would wait forever. */
const HANGS_AFTER_MS = 120_000;

interface CapturedReply {
  response: Response | undefined;
  body: string;
  isBroken: boolean;
  hasLeft: boolean;
  hangs: boolean;
}

/** Sends one request and records the result. Never throws: the gateway is expected to be killed during requests. */
export async function attempt(ask: Ask, baseUrl: string, { id, key }: { id: string; key: string }): Promise<Attempt> {
  const sentAtMs = Date.now();
  const received = await listen(ask, baseUrl, key);
  const headers = received.response?.headers;
  const end = endOf(received, ask);
  const answer = end === "complete" ? understand(received.body, ask) : undefined;
  return {
    keyId: id,
    endpoint: ask.endpoint,
    marker: ask.marker,
    isIdempotent: ask.idempotencyKey !== undefined,
    baseUrl,
    sentAtMs,
    endedAtMs: Date.now(),
    end,
    status: received.response?.status ?? null,
    code: end === "refused" ? codeIn(received.body) : null,
    retryAfter: headers?.get("retry-after") ?? null,
    requestId: headers?.get("x-request-id") ?? null,
    replays: headers?.get("x-tollgate-replayed") ?? null,
    cost: headers?.get("x-tollgate-cost") ?? answer?.cost ?? null,
    promptTokens: answer?.promptTokens ?? null,
    completionTokens: answer?.completionTokens ?? null,
    text: Bun.hash(answer?.text ?? "").toString(16),
    bytes: Bun.hash(received.body).toString(16),
  };
}

async function listen(ask: Ask, baseUrl: string, key: string): Promise<CapturedReply> {
  const received: CapturedReply = { response: undefined, body: "", isBroken: false, hasLeft: false, hangs: false };
  const leaving = new AbortController();
  const utf8 = new TextDecoder();
  const hanging = setTimeout(() => {
    received.hangs = true;
    leaving.abort();
  }, HANGS_AFTER_MS);
  try {
    received.response = await fetch(`${baseUrl}${endpointOf(ask).path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        ...(ask.idempotencyKey !== undefined && { "idempotency-key": ask.idempotencyKey }),
      },
      body: bodyOf(ask),
      signal: leaving.signal,
      // On a new connection, fetch never sends a request twice.
      keepalive: false,
    });
    let reads = 0;
    for await (const bytes of received.response.body ?? []) {
      received.body += utf8.decode(bytes, { stream: true });
      if (++reads !== ask.leavesAfterReads) continue;
      received.hasLeft = true;
      leaving.abort();
    }
  } catch {
    received.isBroken = true;
  }
  clearTimeout(hanging);
  return received;
}

function endpointOf({ endpoint }: Ask): ModelEndpoint {
  return ENDPOINTS.find(({ name }) => name === endpoint)!;
}

function bodyOf(ask: Ask): string {
  const { marker, model, stream, includeUsage } = ask;
  const question = { model, prompt: `How much is ${marker}?`, maxTokens: 1000, stream };
  const options = ask.endpoint === "chat" && stream && includeUsage ? { stream_options: { include_usage: true } } : {};
  return JSON.stringify({ ...endpointOf(ask).bodyFor(question), ...options });
}

const STREAM_ENDS: Readonly<Record<Ask["endpoint"], RegExp>> = {
  chat: /data: \[DONE\]\n\n$/,
  messages: /event: message_stop\ndata: [^\n]+\n\n$/,
  responses: /event: response\.completed\ndata: [^\n]+\n\n$/,
};

function endOf({ response, body, isBroken, hasLeft, hangs }: CapturedReply, { endpoint, stream }: Ask): Attempt["end"] {
  if (hangs) return "hung";
  if (response && response.status !== 200) return "refused";
  if (response && (stream ? STREAM_ENDS[endpoint].test(body) : !isBroken)) return "complete";
  return hasLeft ? "left" : "cut";
}

function codeIn(body: string): string | null {
  try {
    return (JSON.parse(body) as { error: { code: string } }).error.code;
  } catch {
    return null;
  }
}

interface Understood {
  readonly text: string;
  readonly promptTokens: number | undefined;
  readonly completionTokens: number | undefined;
  /** Only streams of chat completions have it in their body. */
  readonly cost?: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** Reads a complete response. */
function understand(body: string, ask: Ask): Understood {
  const events = ask.stream ? [...body.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json!) as Json) : [];
  if (ask.endpoint === "chat") return understandChat(ask.stream ? events : [JSON.parse(body) as Json]);
  const whole = ask.stream ? undefined : (JSON.parse(body) as Json);
  const text = whole ? endpointOf(ask).readText(whole) : events.map(textOfEvent).join("");
  if (ask.endpoint === "responses") {
    const { usage } = whole ?? (events.at(-1)!["response"] as Json);
    const { input_tokens: promptTokens, output_tokens: completionTokens } = usage as { input_tokens: number; output_tokens: number };
    return { text, promptTokens, completionTokens };
  }
  const usage = (whole ?? events.findLast(({ type }) => type === "message_delta")!)["usage"] as Readonly<Record<string, number>>;
  const { input_tokens: fresh = 0, cache_read_input_tokens: cached = 0, output_tokens: completionTokens } = usage;
  return { text, promptTokens: fresh + cached, completionTokens };
}

function textOfEvent({ type, delta }: Json): string {
  if (type === "response.output_text.delta") return String(delta);
  return type === "content_block_delta" ? String((delta as Json)["text"]) : "";
}

interface WireAnswer {
  readonly choices: readonly { readonly message?: { readonly content: string }; readonly delta?: { readonly content?: string } }[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
  readonly receipt?: { readonly request_id: string; readonly cost: string };
}

/** A JSON response, or the chunks of a stream. */
function understandChat(answers: readonly unknown[]): Understood {
  const chunks = answers as readonly WireAnswer[];
  const text = chunks.map(({ choices: [first] }) => first?.message?.content ?? first?.delta?.content ?? "").join("");
  const last = chunks.findLast(({ usage }) => usage != null);
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = last?.usage ?? {};
  return { text, promptTokens, completionTokens, cost: chunks.length > 1 ? last?.receipt?.cost : undefined };
}

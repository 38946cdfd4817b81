/** A request that a client will send. */
export interface Ask {
  /** Sent in the request body, so that the logs of the upstream and the client name the same request. */
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
  readonly marker: string;
  readonly isIdempotent: boolean;
  /** The gateway that the request was sent to. */
  readonly baseUrl: string;
  readonly sentAtMs: number;
  readonly endedAtMs: number;
  /** `complete` is a response that any client would accept as complete: a complete JSON body with status 200, or a stream with `[DONE]`. */
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

interface WireAnswer {
  readonly choices: readonly { readonly message?: { readonly content: string }; readonly delta?: { readonly content?: string } }[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
  readonly receipt?: { readonly request_id: string; readonly cost: string };
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
  const end = endOf(received, ask.stream);
  const answer = end === "complete" ? understand(received.body, ask.stream) : undefined;
  return {
    keyId: id,
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
    cost: headers?.get("x-tollgate-cost") ?? answer?.receipt?.cost ?? null,
    promptTokens: answer?.usage?.prompt_tokens ?? null,
    completionTokens: answer?.usage?.completion_tokens ?? null,
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
    received.response = await fetch(`${baseUrl}/chat/completions`, {
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

function bodyOf({ marker, model, stream, includeUsage }: Ask): string {
  return JSON.stringify({
    model,
    messages: [{ role: "user", content: "How much is it?" }],
    user: marker,
    max_tokens: 1000,
    stream,
    ...(stream && includeUsage && { stream_options: { include_usage: true } }),
  });
}

function endOf({ response, body, isBroken, hasLeft, hangs }: CapturedReply, stream: boolean): Attempt["end"] {
  if (hangs) return "hung";
  if (response && response.status !== 200) return "refused";
  if (response && (stream ? body.endsWith("data: [DONE]\n\n") : !isBroken)) return "complete";
  return hasLeft ? "left" : "cut";
}

function codeIn(body: string): string | null {
  try {
    return (JSON.parse(body) as { error: { code: string } }).error.code;
  } catch {
    return null;
  }
}

function understand(body: string, stream: boolean): { text: string; usage: WireAnswer["usage"]; receipt: WireAnswer["receipt"] } {
  if (!stream) {
    const { choices, usage } = JSON.parse(body) as WireAnswer;
    return { text: choices[0]!.message!.content, usage, receipt: undefined };
  }
  const events = body.split("\n\n").filter((frame) => frame.startsWith("data: {"));
  const chunks = events.map((frame) => JSON.parse(frame.slice("data: ".length)) as WireAnswer);
  const text = chunks.map(({ choices }) => choices[0]?.delta?.content ?? "").join("");
  const last = chunks.findLast(({ usage }) => usage != null);
  return { text, usage: last?.usage, receipt: last?.receipt };
}

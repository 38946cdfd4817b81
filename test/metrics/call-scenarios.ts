import { chunk, completion, events, GOOD_CHUNKS, rawEvents, type Script } from "../support/upstreams/mock-upstream.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import type { Caller } from "./callers.ts";

/** How a client calls the gateway, and how the upstream responds. */
export interface Manner {
  /** The increments of `tollgate_requests_total`: model, endpoint, status, outcome, stream. If upstreams fail, only the model. */
  readonly counts: readonly string[];
  readonly isPoor?: true;
  readonly isRateLimited?: true;
  run(caller: Caller, gateway: RunningGateway): Promise<void>;
}

/** Clients that wait until their request has reached the upstream, by their text. */
const arrivals = new Map<string, () => void>();

/** The upstream, with unique texts that must not appear in metrics, and without an ID in one place where it belongs. */
export const SCRIPTS: Readonly<Record<string, Script>> = {
  "up-answer": ({ body, text }) =>
    body["stream"] === true
      ? events(GOOD_CHUNKS)
      : Response.json(completion({ content: text }, { id: undefined, model: `canary of ${text}` })),
  "up-cached": ({ text }) => Response.json(completion({ content: text })),
  "up-refusing": ({ text }) =>
    Response.json(
      { error: { message: `canary: ${text}`, code: "content_policy_violation", type: "invalid_request_error" } },
      { status: 400 },
    ),
  "up-failing": () => Response.json({ error: { message: "canary: out of order", code: "canary_code" } }, { status: 500 }),
  "up-breaking": () => rawEvents(`data: ${chunk({ role: "assistant", content: "Half of" })}\n\n`),
  "up-hanging": ({ body, text }) => {
    arrivals.get(/canary-[0-9a-z-]+/.exec(text)![0])?.();
    return body["stream"] === true ? rawEvents(neverEnding()) : new Promise(() => undefined);
  },
};

function neverEnding(): ReadableStream<Uint8Array> {
  const first = new TextEncoder().encode(`data: ${chunk({ role: "assistant", content: "Well" })}\n\n`);
  return new ReadableStream({ start: (controller) => controller.enqueue(first) });
}

export const MODELS = Object.keys(SCRIPTS).map((name) => name.slice("up-".length));

export const MANNERS: Readonly<Record<string, Manner>> = {
  json: chatting(["answer chat_completions 200 complete false"], { model: "answer" }),
  stream: chatting(["answer chat_completions 200 complete true"], { model: "answer", stream: true }),
  poor: { ...chatting(["none chat_completions 402 refused false"], { model: "answer" }), isPoor: true },
  limited: {
    counts: ["answer chat_completions 200 complete false", "answer chat_completions 429 refused false"],
    isRateLimited: true,
    async run(caller, gateway) {
      for (const _ of "12") await chat(caller, gateway, { model: "answer" });
    },
  },
  strangeModel: {
    counts: ["none chat_completions 403 refused false"],
    run: (caller, gateway) => chat(caller, gateway, { model: `${caller.word}"} 1\n# EOF\n` }),
  },
  strangeField: {
    counts: ["answer chat_completions 200 complete false"],
    run: (caller, gateway) => chat(caller, gateway, { model: "answer", [caller.word]: caller.word }),
  },
  wrongKey: {
    counts: ["none chat_completions 401 refused false"],
    run: (caller, gateway) => chat({ ...caller, key: `sk-service-${caller.word}` }, gateway, { model: "answer" }),
  },
  notJson: {
    counts: ["none chat_completions 400 refused false"],
    run: (caller, gateway) => call(caller, `${gateway.baseUrl}/chat/completions`, { method: "POST", body: `{"model": "${caller.word}` }),
  },
  dryRun: {
    counts: ["none chat_completions 200 dry_run false"],
    run: (caller, gateway) => chat(caller, gateway, { model: "answer" }, { "x-dry-run": "1" }),
  },
  twice: {
    counts: ["answer chat_completions 200 complete false", "none chat_completions 200 replayed false"],
    async run(caller, gateway) {
      for (const _ of "12") await chat(caller, gateway, { model: "answer" }, { "idempotency-key": caller.word });
    },
  },
  cached: {
    counts: ["cached chat_completions 200 complete false", "cached chat_completions 200 complete false"],
    async run(caller, gateway) {
      for (const _ of "12") await chat(caller, gateway, { model: "cached" });
    },
  },
  refusedByUpstream: chatting(["refusing chat_completions 400 refused false"], { model: "refusing" }),
  failing: chatting(["failing"], { model: "failing" }),
  breaking: chatting(["breaking"], { model: "breaking", stream: true }),
  leavesJson: { counts: ["hanging chat_completions 499 client_closed false"], run: (caller, gateway) => leave(caller, gateway, false) },
  leavesStream: { counts: ["hanging chat_completions 200 client_closed true"], run: (caller, gateway) => leave(caller, gateway, true) },
  elsewhere: {
    counts: [],
    async run(caller, gateway) {
      await call(caller, `${gateway.baseUrl}/${caller.word}`, {});
      await call(caller, `${gateway.baseUrl}/models?${caller.word}`, {});
      await call(caller, `${gateway.baseUrl}/chat/completions`, { method: "PUT" });
      await call(caller, `${gateway.platformUrl}/api/${caller.word}`, {});
      await call(caller, `${gateway.platformUrl}/metrics?${caller.word}`, {});
    },
  },
};

function chatting(counts: readonly string[], body: object): Manner {
  return { counts, run: (caller, gateway) => chat(caller, gateway, body) };
}

function chat(caller: Caller, gateway: RunningGateway, body: object, headers: Record<string, string> = {}): Promise<void> {
  return call(caller, `${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body: ask(caller, body) });
}

function ask({ word }: Caller, body: object): string {
  return JSON.stringify({ messages: [{ role: "user", content: word }], user: word, ...body });
}

/** Headers with unique texts in everything that a client can choose. */
function headersOf({ key, word }: Caller, more: Record<string, string> = {}): Record<string, string> {
  const json = { "content-type": "application/json", authorization: `Bearer ${key}` };
  return {
    ...json,
    "user-agent": `${word}/1.0 "\\`,
    [`x-${word}`]: word,
    "x-request-id": word,
    origin: `https://${word}.example`,
    ...more,
  };
}

async function call(
  caller: Caller,
  url: string,
  { headers, ...init }: { headers?: Record<string, string> } & BunFetchRequestInit,
): Promise<void> {
  const response = await fetch(url, { ...init, headers: headersOf(caller, headers) });
  await response.text();
}

/** Disconnects when the upstream has received the request, or when the response has started. */
async function leave(caller: Caller, gateway: RunningGateway, stream: boolean): Promise<void> {
  const leaving = new AbortController();
  const arrived = new Promise<void>((resolve) => arrivals.set(caller.word, resolve));
  const response = fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: headersOf(caller),
    body: ask(caller, { model: "hanging", stream }),
    signal: leaving.signal,
  });
  if (stream) await (await response).body!.getReader().read();
  else await arrived;
  leaving.abort();
  await response.catch(() => undefined);
  arrivals.delete(caller.word);
}

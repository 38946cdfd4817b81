import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  chunk,
  completion,
  configFor,
  events,
  GOOD_CHUNKS,
  manualStream,
  rawEvents,
  startMockUpstream,
  type MockUpstream,
} from "../support/upstreams/mock-upstream.ts";
import { CANCELS, startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";

const KEEP_ALIVE = ": keep-alive\n\n";
const MODELS = ["pauses", "thinks", "thinks-and-fails", "left-early", "left-late", "left-in-pause", "quick"];
const FIRST = chunk({ role: "assistant", content: "Hello" });
const LAST = chunk({}, "stop");

let upstream: MockUpstream;
let gateway: RunningGateway;
let key: string;

/** A stream that pauses, written by the test. */
const pausing = manualStream();
const leftInPause = manualStream();
/** The responses of the thinking upstreams, sent when the test has waited long enough. */
const thought = Promise.withResolvers<Response>();
const failure = Promise.withResolvers<void>();
const never = new Promise<Response>(() => {});

beforeAll(async () => {
  upstream = startMockUpstream({
    "up-pauses": () => rawEvents(pausing.stream),
    "up-thinks": () => thought.promise,
    "up-thinks-and-fails": async () => {
      await failure.promise;
      return Response.json({ error: { message: "too busy" } }, { status: 503 });
    },
    "up-left-early": () => never,
    "up-left-late": () => never,
    "up-left-in-pause": () => rawEvents(leftInPause.stream),
    "up-quick": () => Response.json(completion()),
  });
  gateway = await startGateway({ yaml: configFor(upstream.baseUrl, MODELS), env: CANCELS });
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

// Each of these tests waits for 15 seconds of silence, so they run concurrently.

test.concurrent("a silent stream receives a keep-alive comment between its chunks", async () => {
  const answer = new Listener(call("pauses"));
  await waitForRequest("pauses");
  pausing.write(`data: ${FIRST}\n\n`);
  await answer.hears(KEEP_ALIVE);
  pausing.write(`data: ${LAST}\n\ndata: [DONE]\n\n`);
  pausing.end();
  expect(await answer.rest()).toBe(`${frames("pauses", FIRST)}${KEEP_ALIVE}${frames("pauses", LAST)}data: [DONE]\n\n`);
});

test.concurrent("a slow first token is preceded by a keep-alive comment", async () => {
  const answer = new Listener(call("thinks"));
  await answer.hears(KEEP_ALIVE);
  thought.resolve(events(GOOD_CHUNKS));
  expect(await answer.rest()).toBe(`${KEEP_ALIVE}${frames("thinks", ...GOOD_CHUNKS.slice(0, -1))}data: [DONE]\n\n`);
  expect(await answer.status()).toBe(200);
});

test.concurrent("an upstream's error after the first comment arrives as an error frame and without [DONE]", async () => {
  const answer = new Listener(call("thinks-and-fails"));
  await answer.hears(KEEP_ALIVE);
  failure.resolve();
  const [comment, frame, ...more] = (await answer.rest()).split(/(?<=\n\n)/);
  expect(comment).toBe(KEEP_ALIVE);
  expect(JSON.parse(frame!.replace(/^data: /, ""))).toMatchObject({ error: { type: "server_error", code: "overloaded" } });
  expect(more).toBeEmpty();
  expect(await answer.status()).toBe(200);
});

test.concurrent("a client that disconnects before the first byte cancels the upstream call", async () => {
  const leaving = new AbortController();
  const answer = call("left-early", leaving.signal);
  const request = await waitForRequest("left-early");
  expect(request.signal.aborted).toBe(false);
  leaving.abort();
  expect(await answer.catch(() => "never answered")).toBe("never answered");
  await waitFor(() => request.signal.aborted);
  await waitFor(() => logOf("left-early")?.["status"] === 499);
});

test.concurrent("a client that disconnects after the first comment cancels the upstream call", async () => {
  const leaving = new AbortController();
  const answer = new Listener(call("left-late", leaving.signal));
  await answer.hears(KEEP_ALIVE);
  const request = await waitForRequest("left-late");
  expect(request.signal.aborted).toBe(false);
  leaving.abort();
  await waitFor(() => request.signal.aborted);
  await waitFor(() => logOf("left-late")?.["end"] === "caller_gone");
});

test.concurrent("a client that disconnects while a stream is silent cancels the upstream call", async () => {
  const leaving = new AbortController();
  const answer = new Listener(call("left-in-pause", leaving.signal));
  await waitForRequest("left-in-pause");
  leftInPause.write(`data: ${FIRST}\n\n`);
  await answer.hears("Hello");
  leaving.abort();
  await leftInPause.cancelled;
  await waitFor(() => logOf("left-in-pause")?.["end"] === "caller_gone");
});

test.concurrent("an idle connection is closed, whether or not it has carried a request", async () => {
  const body = JSON.stringify({ model: "quick", messages: [{ role: "user", content: "hi" }] });
  const chat = requestText("POST /v1/chat/completions", body);
  const afterChat = await openIdleConnection(chat, "");
  const inHalfARequest = await openIdleConnection(chat, chat.slice(0, 40));
  const afterModels = await openIdleConnection(requestText("GET /v1/models", ""), "");
  await eventually(afterModels.isClosed, Boolean);
  // The other connections have been idle at least as long, so their timeouts expire too, within the resolution of these timeouts.
  const others = (): boolean[] => [afterChat.isClosed(), inHalfARequest.isClosed()];
  await eventually(others, (closed) => closed.every(Boolean));
});

function requestText(start: string, body: string): string {
  const headers = ["host: gateway", `authorization: Bearer ${key}`, "content-type: application/json", `content-length: ${body.length}`];
  return `${start} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n${body}`;
}

/** Sends a request, and after its response the start of another or nothing at all. Then the connection is idle. */
async function openIdleConnection(request: string, next: string): Promise<{ isClosed: () => boolean }> {
  const { hostname, port } = new URL(gateway.baseUrl);
  const socket = connect(Number(port), hostname);
  let isClosed = false;
  socket.on("close", () => (isClosed = true));
  socket.write(request);
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toStartWith("HTTP/1.1 200 ");
  socket.write(next);
  return { isClosed: () => isClosed };
}

function call(model: string, signal: AbortSignal | null = null): Promise<Response> {
  return fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }], stream: true }),
    signal,
  });
}

/** Reads a reply piece by piece, and records it. */
class Listener {
  readonly #response: Promise<Response>;
  readonly #utf8 = new TextDecoder();
  #reader: ReturnType<typeof readerOf> | undefined;
  #heard = "";

  constructor(response: Promise<Response>) {
    this.#response = response;
  }

  async status(): Promise<number> {
    return (await this.#response).status;
  }

  /** Reads until this text is received. */
  async hears(words: string): Promise<void> {
    while (!this.#heard.includes(words)) if (!(await this.#hearMore())) throw new Error(`Heard only: ${this.#heard}`);
  }

  /** Reads to the end, and returns everything. Consecutive comments count as one, because a slow machine receives more of them. */
  async rest(): Promise<string> {
    while (await this.#hearMore());
    return this.#heard.replaceAll(/(: keep-alive\n\n)+/g, KEEP_ALIVE);
  }

  async #hearMore(): Promise<boolean> {
    this.#reader ??= readerOf(await this.#response);
    const { done, value } = await this.#reader.read();
    this.#heard += this.#utf8.decode(value, { stream: !done });
    return !done;
  }
}

function readerOf(response: Response): { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> } {
  return response.body!.getReader();
}

/** Chunks as the client receives them: with the public name of the model. */
function frames(model: string, ...chunks: readonly string[]): string {
  return chunks.map((each) => `data: ${each.replace('"model":"up-model"', `"model":"${model}"`)}\n\n`).join("");
}

function waitForRequest(model: string): Promise<MockUpstream["requests"][number]> {
  return waitFor(() => upstream.requests.find(({ body }) => body["model"] === `up-${model}`));
}

function logOf(model: string): Record<string, unknown> | undefined {
  return gateway.logLines().find((line) => line["model"] === model);
}

import { join } from "node:path";
import OpenAI, { APIConnectionTimeoutError, APIError } from "openai";
import { KEY, type RawKind, type SdkKind } from "./kind.ts";
import { NO_ERROR, type Reply } from "./outcome.ts";

/** A gateway from its clients' point of view. */
export interface Side {
  /** The base URL without `/v1`. */
  readonly url: string;
  readonly key: string;
}

/** Sends requests with an SDK, one after another. */
export interface Sdk {
  send(kind: SdkKind): Promise<Reply>;
  stop(): Promise<void>;
}

/** The timeout of clients: longer than any timeout of the config. */
const TIMEOUT_MS = 30_000;

/** OpenAI's SDK for Node, in this process. */
export function nodeSdk({ url, key }: Side): Pick<Sdk, "send"> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0, timeout: TIMEOUT_MS });
  return {
    async send({ body, headers }) {
      try {
        const { data, response } = await client.chat.completions.create(body as never, headers && { headers }).withResponse();
        const { status } = response;
        return body["stream"] === true
          ? { status, ...(await chunksOf(data as unknown as AsyncIterable<unknown>)) }
          : { status, body: data };
      } catch (error) {
        return failure(error);
      }
    },
  };
}

async function chunksOf(stream: AsyncIterable<unknown>): Promise<Pick<Reply, "chunks" | "error">> {
  const chunks: unknown[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
    return { chunks };
  } catch (error) {
    return { chunks, error: (error instanceof APIError && error.error) || "the connection broke" };
  }
}

function failure(error: unknown): Reply {
  if (!(error instanceof APIError)) throw error;
  if (error instanceof APIConnectionTimeoutError) return { status: 0, error: "the client timed out" };
  if (error.status === undefined) return { status: 0, error: "the connection broke" };
  return { status: error.status, error: error.error ?? NO_ERROR };
}

/** OpenAI's SDK for Python, in a separate process with only this environment. */
export function pythonSdk({ url, key }: Side, env: Readonly<Record<string, string>>): Sdk {
  const command = ["python", join(import.meta.dir, "openai_client.py"), `${url}/v1`, key, String(TIMEOUT_MS / 1000)];
  const child = Bun.spawn(command, { env: { ...env }, stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const lines = linesOf(child.stdout);
  return {
    async send({ body, headers }) {
      await child.stdin.write(`${JSON.stringify({ body, headers })}\n`);
      await child.stdin.flush();
      const { value, done } = await lines.next();
      if (done) throw new Error("The program of the Python SDK has ended.");
      return JSON.parse(value) as Reply;
    },
    async stop() {
      await child.stdin.end();
      await child.exited;
    },
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  let text = "";
  const utf8 = new TextDecoder();
  for await (const bytes of stream) {
    const lines = (text + utf8.decode(bytes, { stream: true })).split("\n");
    text = lines.pop()!;
    yield* lines;
  }
}

/** Headers that every reply has, or that the HTTP server adds. */
const ORDINARY = new Set([
  "date",
  "server",
  "connection",
  "content-length",
  "transfer-encoding",
  "keep-alive",
  "content-type",
  "cache-control",
  "content-encoding",
  "vary",
]);

export async function sendRaw({ method, path, headers, body, comparesHeaders }: RawKind, { url, key }: Side): Promise<Reply> {
  const filled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace(KEY, key)]));
  const response = await fetch(`${url}${path}`, { method, headers: filled, redirect: "manual", ...(body !== undefined && { body }) });
  const names = comparesHeaders && { headers: [...response.headers.keys()].filter((name) => !ORDINARY.has(name)).toSorted() };
  return { status: response.status, ...names, ...read(await response.text(), response) };
}

function read(text: string, { headers, ok }: Response): Partial<Reply> {
  if (headers.get("content-type")?.startsWith("text/event-stream")) {
    const events = text.split("\n\n").filter((event) => event.startsWith("data: ") && event !== "data: [DONE]");
    return { chunks: events.map((event) => JSON.parse(event.slice("data: ".length)) as unknown) };
  }
  const body = parsed(text);
  if (ok) return { body };
  return { error: (body as { error?: unknown } | null)?.error ?? NO_ERROR };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

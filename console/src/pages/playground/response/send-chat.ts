import { urlOf, reach, ApiError } from "../../../platform/call.ts";
import { recheckSession } from "../../../platform/query-client.ts";
import type { ChatResponse, Failure } from "./chat-response.ts";
import { readError, type GatewayError } from "./chunk.ts";
import { EventParser } from "./event-parser.ts";

const now = (): number => performance.timeOrigin + performance.now();

/** Sends a chat completion with a key and fills the response. The response has ended when the promise settles. */
export async function sendChat(
  keyId: string,
  body: Readonly<Record<string, unknown>>,
  chat: ChatResponse,
  signal: AbortSignal,
): Promise<void> {
  try {
    const url = urlOf("callAsKey", { path: { id: keyId } });
    const response = await reach(url, { method: "POST", body: JSON.stringify(body), signal });
    chat.open(response.headers.get("x-request-id"));
    if (!response.ok) return reject(chat, await readRefusal(response, chat));
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    await (isStream ? readStream(response.body!, chat) : readWhole(response, chat));
  } catch (error) {
    if (signal.aborted) chat.end("stopped", now());
    else interrupt(chat, error instanceof ApiError ? error : { message: "The connection was lost.", code: "connection_lost", param: null });
  }
}

/** An expired session reopens the sign-in page. A rejected key has the same status, but another code. */
function reject(chat: ChatResponse, failure: Failure): void {
  chat.end("rejected", now(), failure);
  if (failure.code === "not_signed_in") recheckSession();
}

/** Complete only with `[DONE]`, which the gateway sends after it has recorded the charge. */
async function readStream(stream: ReadableStream<Uint8Array>, chat: ChatResponse): Promise<void> {
  const parser = new EventParser();
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const { text, events } = parser.feed(read.value);
    chat.raw.append(text);
    for (const event of events) {
      if (event === "[DONE]") return chat.end("done", now());
      const error = chat.take(event, now());
      if (error) {
        // Nothing is read after an error: the connection is closed.
        void reader.cancel().catch(() => undefined);
        return interrupt(chat, error);
      }
    }
  }
  interrupt(chat, { message: "The stream ended before the response was complete.", code: "connection_lost", param: null });
}

async function readWhole(response: Response, chat: ChatResponse): Promise<void> {
  const text = await response.text();
  chat.raw.append(text);
  const error = chat.take(text, now());
  if (error) interrupt(chat, error);
  else chat.end("done", now());
}

/** The request may have been served and charged: only the receipt shows this. */
function interrupt(chat: ChatResponse, { message, code, param }: GatewayError): void {
  const failure = { message, code, param, status: 0, retryAfterSeconds: null };
  chat.end("interrupted", now(), failure);
}

async function readRefusal(response: Response, chat: ChatResponse): Promise<Failure> {
  const text = await response.text();
  chat.raw.append(text);
  const unreadable = {
    message: `The server returned status ${response.status} without an error message from Tollgate.`,
    code: "unreadable",
    param: null,
  };
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  return {
    ...(readError(parsed(text)) ?? unreadable),
    status: response.status,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

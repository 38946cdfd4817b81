import { addressOf, reach, Refusal } from "../../platform/call.ts";
import { lookWhoItIs } from "../../platform/query-client.ts";
import type { Answer, Failure } from "./chat-response.ts";
import { readError, type GatewayError } from "./chunk.ts";
import { EventParser } from "./event-parser.ts";

const now = (): number => performance.timeOrigin + performance.now();

/** Asks a model as a key does, and fills the answer as it comes. It is over when this ends, however it ends. */
export async function ask(keyId: string, body: Readonly<Record<string, unknown>>, answer: Answer, signal: AbortSignal): Promise<void> {
  try {
    const address = addressOf("askWithKey", { path: { id: keyId } });
    const response = await reach(address, { method: "POST", body: JSON.stringify(body), signal });
    answer.open(response.headers.get("x-request-id"));
    if (!response.ok) return refuse(answer, await readRefusal(response, answer));
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    await (isStream ? readStream(response.body!, answer) : readWhole(response, answer));
  } catch (error) {
    if (signal.aborted) answer.end("stopped", now());
    else breakOff(answer, error instanceof Refusal ? error : { message: "The connection was lost.", code: "connection_lost", param: null });
  }
}

/** The gate is told of a session that has ended. A key that is refused has the same status, and is none of its business. */
function refuse(answer: Answer, failure: Failure): void {
  answer.end("refused", now(), failure);
  if (failure.code === "not_signed_in") lookWhoItIs();
}

/** Whole only with `[DONE]`, which the gateway sends when the charge is recorded. */
async function readStream(stream: ReadableStream<Uint8Array>, answer: Answer): Promise<void> {
  const parser = new EventParser();
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const { text, events } = parser.feed(read.value);
    answer.raw.append(text);
    for (const event of events) {
      if (event === "[DONE]") return answer.end("done", now());
      const error = answer.take(event, now());
      if (error) {
        // Nothing that comes after it is read: the connection is let go.
        void reader.cancel().catch(() => undefined);
        return breakOff(answer, error);
      }
    }
  }
  breakOff(answer, { message: "The stream ended before the answer did.", code: "connection_lost", param: null });
}

async function readWhole(response: Response, answer: Answer): Promise<void> {
  const text = await response.text();
  answer.raw.append(text);
  const error = answer.take(text, now());
  if (error) breakOff(answer, error);
  else answer.end("done", now());
}

/** It may have been answered and charged, whatever came of it here: the receipt alone knows. */
function breakOff(answer: Answer, { message, code, param }: GatewayError): void {
  const failure = { message, code, param, status: 0, retryAfterSeconds: null };
  answer.end("broken", now(), failure);
}

async function readRefusal(response: Response, answer: Answer): Promise<Failure> {
  const text = await response.text();
  answer.raw.append(text);
  const unreadable = { message: `The server answered ${response.status}, without Tollgate's own words.`, code: "unreadable", param: null };
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

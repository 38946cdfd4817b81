import { waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";

/** A reply that has been read completely. */
export interface ReadReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The error code of the body, or of the error frame of a stream. */
  readonly errorCode: string | undefined;
  /** The log line of this request. */
  log(): Promise<Record<string, unknown>>;
}

/** Sends a request and reads the reply. `onFirstBytes` is called when its first bytes are received. */
export async function ask(
  gateway: RunningGateway,
  key: string,
  model: string,
  stream: boolean,
  onFirstBytes: () => void = () => {},
): Promise<ReadReply> {
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }], stream }),
  });
  const pieces: Uint8Array[] = [];
  for await (const piece of response.body ?? []) {
    if (pieces.push(piece) === 1) onFirstBytes();
  }
  const text = Buffer.concat(pieces).toString();
  const requestId = response.headers.get("x-request-id");
  return {
    status: response.status,
    headers: response.headers,
    text,
    errorCode: errorCodeIn(text),
    log: () => waitFor(() => gateway.logLines().find((line) => line["request_id"] === requestId)),
  };
}

/** The code of an error body, or of the error frame at the end of a stream. */
function errorCodeIn(text: string): string | undefined {
  const last = text.startsWith("{") ? text : /data: ([^\n]*)\n\n$/.exec(text)?.[1];
  if (last === undefined || !last.startsWith("{")) return undefined;
  return (JSON.parse(last) as { error?: { code: string } }).error?.code;
}

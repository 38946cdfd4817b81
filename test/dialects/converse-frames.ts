import { EventStreamCodec } from "@smithy/eventstream-codec";

/** Frames of `application/vnd.amazon.eventstream`, encoded by the codec of AWS. */

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString("utf8"),
  (text) => Buffer.from(text, "utf8"),
);

type Headers = Readonly<Record<string, string>>;

/** One frame with these headers, which are strings. */
export function frame(headers: Headers, payload: string): Buffer {
  const tagged = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { type: "string" as const, value }]));
  return Buffer.from(codec.encode({ headers: tagged, body: Buffer.from(payload) }));
}

export const eventFrame = (type: string, payload: unknown): Buffer => rawEventFrame(type, JSON.stringify(payload));

export const rawEventFrame = (type: string, payload: string): Buffer =>
  frame({ ":event-type": type, ":content-type": "application/json", ":message-type": "event" }, payload);

export const exceptionFrame = (type: string, payload: unknown): Buffer =>
  frame({ ":exception-type": type, ":content-type": "application/json", ":message-type": "exception" }, JSON.stringify(payload));

export const errorFrame = (code: string, message: string): Buffer =>
  frame({ ":error-code": code, ":error-message": message, ":message-type": "error" }, "");

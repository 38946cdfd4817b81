/** The rejected part of an accepted batch. */
export interface Rejection {
  readonly spans: number;
  readonly message: string;
}

/** Field numbers of `ExportTraceServiceResponse` and of `ExportTracePartialSuccess` in it. */
const PARTIAL_SUCCESS = 1;
const REJECTED_SPANS = 1;
const ERROR_MESSAGE = 2;

/** Parses the response to an export; undefined when all spans were accepted, or the response is unknown. */
export function readRejection(answer: Uint8Array): Rejection | undefined {
  const partial = fieldsOf(answer).get(PARTIAL_SUCCESS);
  if (!(partial instanceof Uint8Array)) return undefined;
  const fields = fieldsOf(partial);
  const spans = fields.get(REJECTED_SPANS);
  const message = fields.get(ERROR_MESSAGE);
  const rejection = {
    spans: typeof spans === "number" ? spans : 0,
    message: message instanceof Uint8Array ? Buffer.from(message).toString("utf8") : "",
  };
  return rejection.spans > 0 || rejection.message !== "" ? rejection : undefined;
}

/** The fields of a message, as numbers or bytes. An unknown wire type or truncation ends it. */
function fieldsOf(bytes: Uint8Array): Map<number, number | Uint8Array> {
  const fields = new Map<number, number | Uint8Array>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; at < bytes.length; scale *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    return Number.NaN;
  };
  while (at < bytes.length) {
    const tag = varint();
    const value = varint();
    if (tag % 8 === 0) fields.set(Math.floor(tag / 8), value);
    else if (tag % 8 === 2 && at + value <= bytes.length) fields.set(Math.floor(tag / 8), bytes.subarray(at, (at += value)));
    else return fields;
  }
  return fields;
}

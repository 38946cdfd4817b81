/** What a request says of itself is written here, and nowhere else: two lengths, or two hosts, would be two requests to somebody. */
const OWN = new Set(["host", "content-length", "transfer-encoding", "connection", "accept-encoding", "expect", "upgrade", "te", "trailer"]);

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible ASCII: a line end in a value would begin another header, or another request. */
const VALUE = /^[\t\x20-\x7e]*$/;
const TARGET = /^\/[\x21-\x7e]*$/;

export interface RequestHead {
  readonly method: "GET" | "POST";
  readonly host: string;
  /** The path and the query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body's; undefined where there is none. */
  readonly bodyBytes: number | undefined;
}

/** The head of a request, in ASCII, the empty line behind it included. Throws where something in it cannot be sent. */
export function writeHead({ method, host, target, headers, bodyBytes }: RequestHead): string {
  if (!TARGET.test(target)) throw new Error("a path that cannot be sent");
  let text = `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\naccept-encoding: identity\r\n`;
  for (const name in headers) {
    const value = headers[name]!;
    if (!NAME.test(name) || !VALUE.test(value)) throw new Error(`a header that cannot be sent: ${JSON.stringify(name)}`);
    if (!OWN.has(name.toLowerCase())) text += `${name}: ${value}\r\n`;
  }
  return bodyBytes === undefined ? `${text}\r\n` : `${text}content-length: ${bodyBytes}\r\n\r\n`;
}

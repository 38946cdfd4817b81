/** Headers that only the client itself writes: a second length or host would allow request smuggling. */
const RESERVED = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "accept-encoding",
  "expect",
  "upgrade",
  "te",
  "trailer",
]);

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible ASCII: a line end in a value would allow header injection and request splitting. */
const VALUE = /^[\t\x20-\x7e]*$/;
const TARGET = /^\/[\x21-\x7e]*$/;

/** The head of a request, in ASCII, without its final empty line. Throws if a part of it cannot be sent. */
export function writeHead(method: "GET" | "POST" | "PUT", host: string, target: string, headers: Readonly<Record<string, string>>): string {
  if (!TARGET.test(target)) throw new Error("a path that cannot be sent");
  let text = `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\naccept-encoding: identity\r\n`;
  for (const name in headers) {
    const value = headers[name]!;
    if (!NAME.test(name) || !VALUE.test(value)) throw new Error(`a header that cannot be sent: ${JSON.stringify(name)}`);
    if (!RESERVED.has(name.toLowerCase())) text += `${name}: ${value}\r\n`;
  }
  return text;
}

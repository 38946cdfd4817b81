/** What a request says of itself is written here, and nowhere else: two lengths, or two hosts, would be two requests to somebody. */
const OWN = new Set(["host", "content-length", "transfer-encoding", "connection", "accept-encoding", "expect", "upgrade", "te", "trailer"]);

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible ASCII: a line end in a value would begin another header, or another request. */
const VALUE = /^[\t\x20-\x7e]*$/;
const TARGET = /^\/[\x21-\x7e]*$/;

/** The first lines of a request, in ASCII. Throws where something in them cannot be sent. */
export function writeHead(method: "GET" | "POST", host: string, target: string, headers: Readonly<Record<string, string>>): string {
  if (!TARGET.test(target)) throw new Error("a path that cannot be sent");
  let text = `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\naccept-encoding: identity\r\n`;
  for (const name in headers) {
    const value = headers[name]!;
    if (!NAME.test(name) || !VALUE.test(value)) throw new Error(`a header that cannot be sent: ${JSON.stringify(name)}`);
    if (!OWN.has(name.toLowerCase())) text += `${name}: ${value}\r\n`;
  }
  return text;
}

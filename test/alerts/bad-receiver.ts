/**
 * A receiver of webhooks that behaves badly, in its own process. `POST /hang/3` hangs for the first three calls, and accepts the fourth.
 * `GET /seen` returns all calls received. It prints its port as the first line of its output.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { AddressInfo } from "node:net";

const seen: { path: string; headers: IncomingMessage["headers"]; body: string }[] = [];

const BEHAVIOURS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  fails: (response) => response.writeHead(500).end("no"),
  hangs: () => undefined,
  slow: (response) => setTimeout(() => response.writeHead(204).end(), 2500),
  redirects: (response) => response.writeHead(302, { location: "/fine/0" }).end(),
  busy: (response) => response.writeHead(429, { "retry-after": "240" }).end(),
  gone: (response) => response.writeHead(410).end(),
  closes: (response) => response.socket!.destroy(),
  babbles: (response) => response.socket!.end("this is not HTTP\r\n\r\n"),
  breaks: (response) => response.writeHead(500, { "content-length": "9" }).write("no", () => response.socket!.destroy()),
  /** Receives the message, and never completes its response. */
  drips(response) {
    response.writeHead(500);
    const timer = setInterval(() => response.write("."), 20);
    response.on("close", () => clearInterval(timer));
  },
};

const server = createServer((request, response) => void answer(request, response));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url!;
  if (path === "/seen") return void response.end(JSON.stringify(seen));
  seen.push({ path, headers: request.headers, body: await text(request) });
  const [, behaviour, times] = path.split("/") as [string, string, string];
  const calls = seen.filter((each) => each.path === path).length;
  if (calls <= Number(times)) return BEHAVIOURS[behaviour]!(response);
  response.writeHead(204).end();
}

server.listen(0, "127.0.0.1", () => process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`));

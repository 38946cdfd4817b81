/**
 * An upstream in a separate process that ends connections on request. The path selects the dialect and the framing. The prompt selects how
 * the connection ends, and after how many bytes of the body.
 */
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import {
  RECORDED_RESPONSES,
  RESPONSES_API,
  frameJson,
  frameStream,
  type RecordedDialect,
  type FramedBody,
  type Framing,
} from "./recorded-responses.ts";
import { reset } from "./raw-upstream.ts";

/** A reset overtakes data that was sent just before it: bytes that must arrive need a moment. */
const BEFORE_RESET_MS = 20;

const bodies = new Map<string, FramedBody>();

function bodyFor(dialect: RecordedDialect | "responses", framing: Framing, stream: boolean): FramedBody {
  const name = `${dialect} ${framing} ${stream}`;
  let body = bodies.get(name);
  if (!body) {
    const answer = dialect === "responses" ? RESPONSES_API : RECORDED_RESPONSES[dialect];
    bodies.set(name, (body = stream ? frameStream(answer, framing) : frameJson(answer.json, framing)));
  }
  return body;
}

function disconnect(socket: Socket, request: string): void {
  const [, dialect, framing] = /^POST \/(\w+)\/(\w+)\//.exec(request)! as unknown as [string, RecordedDialect | "responses", Framing];
  const [, at, manner] = /Disconnect at (\d+) by (FIN|RST)\./.exec(request)!;
  const isStream = request.includes('"stream":true') || /^POST \S+(:streamGenerateContent|\/converse-stream)\b/.test(request);
  const { head, bytes } = bodyFor(dialect, framing, isStream);
  socket.write(head);
  const sent = bytes.subarray(0, Number(at));
  if (manner === "FIN") socket.end(sent);
  else socket.write(sent, () => setTimeout(reset, BEFORE_RESET_MS, socket));
}

const server = createServer((socket) => {
  let unread = "";
  socket.on("error", () => socket.destroy());
  socket.on("data", (bytes) => {
    unread += bytes.toString("latin1");
    const end = unread.indexOf("\r\n\r\n");
    if (end < 0 || unread.length - end - 4 < Number(/^content-length: (\d+)\r$/im.exec(unread)?.[1])) return;
    disconnect(socket, unread);
    unread = "";
  });
});

server.listen(0, "127.0.0.1");
await once(server, "listening");
process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);

/**
 * All hostile upstreams, in a separate process. The first segment of the path selects one. It also counts requests to `/inside`, the target
 * of the redirects.
 */
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { wholeReply } from "../streams/raw-upstream.ts";
import { allCases } from "./all-cases.ts";
import { goodBody, JSON_TYPE, EVENTS_TYPE } from "./on-the-wire.ts";

/** Concurrent cases use different ports, so that bytes that a case leaves on a connection do not reach another case. */
const PORTS = 50;

const cases = allCases();
let insideVisits = 0;

function handleConnection(socket: Socket): void {
  let unread = "";
  socket.on("error", () => socket.destroy());
  socket.on("data", (bytes) => {
    unread += bytes.toString("latin1");
    const end = unread.indexOf("\r\n\r\n");
    if (end < 0) return;
    const head = unread.slice(0, end);
    const body = unread.slice(end + 4);
    if (body.length < Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)) return;
    unread = "";
    respond(socket, head, body);
  });
}

function respond(socket: Socket, head: string, body: string): void {
  const [, segment] = /^[A-Z]+ \/([^/ ]*)/.exec(head)!;
  if (segment === "visits") return void socket.end(wholeReply("200 OK", [JSON_TYPE], JSON.stringify({ insideVisits })));
  if (segment === "ports") return void socket.end(wholeReply("200 OK", [JSON_TYPE], JSON.stringify(ports)));
  if (segment === "inside") insideVisits++;
  const request = { head, stream: body.includes('"stream":true') };
  if (segment === "inside") socket.write(wholeReply("200 OK", [request.stream ? EVENTS_TYPE : JSON_TYPE], goodBody(request)));
  else void cases[Number(segment)]!.play(socket, request);
}

async function listen(): Promise<number> {
  const server = createServer(handleConnection).listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const ports = await Promise.all(Array.from({ length: PORTS }, listen));
process.stdout.write(`${JSON.stringify({ port: ports[0] })}\n`);

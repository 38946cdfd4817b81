/**
 * Every hostile upstream there is, in a process of its own: the first step of a request's path says which of them is asked. It
 * also counts who comes to `/inside`, where redirects point.
 */
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { wholeReply } from "../streams/raw-upstream.ts";
import { allCases } from "./all-cases.ts";
import { goodBody, JSON_TYPE, EVENTS_TYPE } from "./on-the-wire.ts";

/** Cases that are tried at the same time have different ports: what one leaves behind on a connection must not meet another. */
const PORTS = 50;

const cases = allCases();
let insideVisits = 0;

function hear(socket: Socket): void {
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
    answer(socket, head, body);
  });
}

function answer(socket: Socket, head: string, body: string): void {
  const [, step] = /^[A-Z]+ \/([^/ ]*)/.exec(head)!;
  if (step === "visits") return void socket.end(wholeReply("200 OK", [JSON_TYPE], JSON.stringify({ insideVisits })));
  if (step === "ports") return void socket.end(wholeReply("200 OK", [JSON_TYPE], JSON.stringify(ports)));
  if (step === "inside") insideVisits++;
  const asked = { head, stream: body.includes('"stream":true') };
  if (step === "inside") socket.write(wholeReply("200 OK", [asked.stream ? EVENTS_TYPE : JSON_TYPE], goodBody(asked)));
  else void cases[Number(step)]!.play(socket, asked);
}

async function listen(): Promise<number> {
  const server = createServer(hear).listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const ports = await Promise.all(Array.from({ length: PORTS }, listen));
process.stdout.write(`${JSON.stringify({ port: ports[0] })}\n`);

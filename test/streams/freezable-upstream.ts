/**
 * An upstream that responds at once, with a minimal accept backlog. Stopped with SIGSTOP it accepts no new connections, and keeps the
 * accepted ones. Prints its port as JSON.
 */
import { createServer, type AddressInfo } from "node:net";
import { completion } from "../support/upstreams/mock-upstream.ts";
import { wholeReply } from "./raw-upstream.ts";

const answer = wholeReply("200 OK", ["content-type: application/json"], JSON.stringify(completion()));
const server = createServer((socket) => {
  socket.on("error", () => socket.destroy());
  socket.on("data", () => socket.write(answer));
});
server.listen({ host: "127.0.0.1", port: 0, backlog: 1 }, () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});

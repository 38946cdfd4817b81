import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";

/** The behaviour of an upstream after it has read the body of a request: it writes arbitrary bytes, which no HTTP server would allow. */
export type RawScript = (socket: Socket, body: string) => void | Promise<void>;

export interface RawUpstream {
  readonly baseUrl: string;
  /** Requests read so far, by the upstream's name for the model. */
  requestsFor(upstreamModel: string): number;
  /** Connections made so far. */
  connections(): number;
  /** Open connections with a request for this model. */
  openFor(upstreamModel: string): number;
  stop(): void;
}

/** An upstream on raw sockets, which runs the script of the requested upstream model. */
export async function startRawUpstream(scripts: Readonly<Record<string, RawScript>>): Promise<RawUpstream> {
  const requests: string[] = [];
  const open = new Map<Socket, string | undefined>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    let unread = "";
    open.set(socket, undefined);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => open.delete(socket));
    socket.on("data", (bytes) => {
      unread += bytes.toString("latin1");
      const body = bodyOfRequest(unread);
      if (body === undefined) return;
      unread = "";
      const { model } = JSON.parse(body) as { model: string };
      requests.push(model);
      open.set(socket, model);
      void scripts[model]!(socket, body);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requestsFor: (model) => requests.filter((each) => each === model).length,
    connections: () => connections,
    openFor: (model) => [...open.values()].filter((each) => each === model).length,
    stop() {
      server.close();
      for (const socket of open.keys()) socket.destroy();
    },
  };
}

/** The body, once it is complete. */
function bodyOfRequest(text: string): string | undefined {
  const end = text.indexOf("\r\n\r\n");
  const announced = /^content-length: (\d+)\r$/im.exec(text.slice(0, end + 1));
  const body = text.slice(end + 4);
  return end >= 0 && announced && body.length >= Number(announced[1]) ? body : undefined;
}

export const EVENTS_HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/** An HTTP chunk of a chunked body. */
export function bodyPart(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

/** A complete reply with content-length. */
export function wholeReply(status: string, headers: readonly string[], body: string | Uint8Array): Buffer {
  const head = [`HTTP/1.1 ${status}`, ...headers, `content-length: ${Buffer.byteLength(body)}`];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), Buffer.from(body)]);
}

/** Writes until the connection is closed. */
export async function writeForever(socket: Socket, text: string): Promise<void> {
  while (!socket.destroyed) {
    const hasRoom = socket.write(text);
    await (hasRoom ? Bun.sleep(0) : Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => undefined));
  }
}

/** Resets a connection. */
export function reset(socket: Socket): void {
  socket.resetAndDestroy();
}

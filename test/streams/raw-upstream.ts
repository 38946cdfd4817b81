import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";

/** What an upstream does once it has read a request's body: it writes bytes, or does not, as no HTTP server would let it. */
export type RawScript = (socket: Socket, body: string) => void | Promise<void>;

export interface RawUpstream {
  readonly baseUrl: string;
  /** Requests read so far, by the upstream's name for the model. */
  requestsFor(upstreamModel: string): number;
  /** Connections made so far. */
  connections(): number;
  /** Connections open now on which this model was asked for. */
  openFor(upstreamModel: string): number;
  stop(): void;
}

/** An upstream below HTTP: it answers each model, by the upstream's name for it, with its script. */
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

/** The body, once all of it is there. */
function bodyOfRequest(text: string): string | undefined {
  const end = text.indexOf("\r\n\r\n");
  const announced = /^content-length: (\d+)\r$/im.exec(text.slice(0, end + 1));
  const body = text.slice(end + 4);
  return end >= 0 && announced && body.length >= Number(announced[1]) ? body : undefined;
}

export const EVENTS_HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/** A part of a body whose length was not announced. */
export function bodyPart(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

/** A whole reply of announced length. */
export function wholeReply(status: string, headers: readonly string[], body: string | Uint8Array): Buffer {
  const head = [`HTTP/1.1 ${status}`, ...headers, `content-length: ${Buffer.byteLength(body)}`];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), Buffer.from(body)]);
}

/** Writes until the other side has had enough. */
export async function writeForever(socket: Socket, text: string): Promise<void> {
  while (!socket.destroyed) {
    const hasRoom = socket.write(text);
    await (hasRoom ? Bun.sleep(0) : Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => undefined));
  }
}

/** Ends a connection the hard way. */
export function reset(socket: Socket): void {
  socket.resetAndDestroy();
}

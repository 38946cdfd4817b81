import { afterAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { toByteText, type ByteText } from "../../text/byte-text.ts";
import { DEFAULT_TIMEOUTS } from "../../../models/timeouts.ts";
import { CallerGone } from "../../async/caller-gone.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { Destination } from "../../../upstreams/egress/destination.ts";
import { send, type UpstreamReply } from "../../../upstreams/egress/send.ts";

const servers: { close(): void }[] = [];
afterAll(() => servers.forEach((server) => server.close()));

/** A server that does this with each connection. */
async function serve(handle: (socket: Socket) => void): Promise<Destination> {
  return new Destination({ baseUrl: `http://127.0.0.1:${await listen(handle)}`, allowPrivate: true });
}

/** The port that it listens at. */
async function listen(handle: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    handle(socket);
  }).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
const BRACES = [toByteText("{}")];
const never = new AbortController().signal;

function ask(destination: Destination, body?: readonly ByteText[] | Uint8Array, signal = never): Promise<UpstreamReply> {
  const timeouts = DEFAULT_TIMEOUTS;
  return send({
    destination,
    path: "/",
    headers: {},
    ...(body !== undefined && { body }),
    signal,
    timeouts,
    streaming: false,
  });
}

async function failureOf(asking: Promise<unknown>): Promise<unknown> {
  return asking.then(
    () => "it was answered",
    (error: unknown) => error,
  );
}

const pieces = ["{", "ü漢🙂".repeat(100_000), "", "a".repeat(256 * 1024), "b".repeat(300_000), "}"].map(toByteText);

test.each([
  ["text", [toByteText("ü漢🙂".repeat(2_000_000))], Buffer.from("ü漢🙂".repeat(2_000_000))],
  ["text in pieces", pieces, Buffer.from(pieces.join(""), "latin1")],
  ["bytes", new Uint8Array(20_000_000).fill(7), Buffer.alloc(20_000_000, 7)],
])("a large request of %s arrives complete at a slow reader", async (_, body, expected) => {
  let came = Buffer.alloc(0);
  const received: Buffer[] = [];
  const destination = await serve((socket) => {
    let bytes = 0;
    socket.pause();
    setTimeout(() => socket.resume(), 50);
    socket.on("data", (chunk: Buffer) => {
      received.push(chunk);
      bytes += chunk.length;
      if (bytes < expected.length || !(came = Buffer.concat(received)).includes("\r\n\r\n")) return;
      if (came.length - came.indexOf("\r\n\r\n") - 4 === expected.length) socket.write(OK);
    });
  });
  expect(await (await ask(destination, body)).text()).toBe("{}");
  expect(came.subarray(came.indexOf("\r\n\r\n") + 4).equals(expected)).toBe(true);
});

test("a response before the end of its request is received, and its connection is not reused", async () => {
  let connections = 0;
  const destination = await serve((socket) => {
    connections++;
    socket.pause();
    socket.write("HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n");
  });
  for (let count = 1; count <= 2; count++) {
    expect((await ask(destination, new Uint8Array(20_000_000))).status).toBe(413);
    expect(connections).toBe(count);
  }
});

test("a client that disconnects closes the upstream connection at once, before and after the head", async () => {
  for (const first of ["", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"]) {
    const gone = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const destination = await serve((socket) => {
      socket.on("close", () => gone.resolve());
      socket.on("data", () => {
        socket.write(first);
        asked.resolve();
      });
    });
    const caller = new AbortController();
    const failure = failureOf(ask(destination, BRACES, caller.signal).then((reply) => reply.text()));
    await asked.promise;
    caller.abort();
    expect(await failure).toBeInstanceOf(CallerGone);
    await gone.promise;
  }
});

test("bytes without a request close the connection, and are not a response", async () => {
  const sockets: Socket[] = [];
  const destination = await serve((socket) => {
    sockets.push(socket);
    const own = sockets.length;
    socket.on("data", () => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n${own}`));
  });
  for (let count = 1; count <= 3; count++) {
    expect(await (await ask(destination, BRACES)).text()).toBe(String(count));
    const socket = sockets.at(-1)!;
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nEvil");
    await closed;
  }
});

/** A server whose connections answer the first request, and do this for each later request. */
async function serveOnce(
  later: (socket: Socket) => void,
): Promise<{ destination: Destination; requests: () => number; connections: () => number }> {
  let requests = 0;
  let connections = 0;
  const destination = await serve((socket) => {
    connections++;
    let own = 0;
    socket.on("data", () => {
      requests++;
      if (++own === 1) socket.write(OK);
      else later(socket);
    });
  });
  return { destination, requests: () => requests, connections: () => connections };
}

describe.each([
  ["a GET", undefined],
  ["a POST", BRACES],
])("%s on a reused connection", (_, body) => {
  test.each([
    ["closes", (socket: Socket) => void socket.end()],
    ["is reset", (socket: Socket) => void socket.resetAndDestroy()],
  ])("that %s before the first byte is sent again, on a new one", async (__, later) => {
    const { destination, requests, connections } = await serveOnce(later);
    for (let round = 0; round < 2; round++) expect(await (await ask(destination, body)).text()).toBe("{}");
    expect([requests(), connections()]).toEqual([3, 2]);
  });

  test("that closes within the head, or sends no HTTP, is not retried", async () => {
    for (const bytes of ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "SMTP\r\n\r\n"]) {
      const { destination, requests } = await serveOnce((socket) => void socket.end(bytes));
      await (await ask(destination, body)).text();
      expect(await failureOf(ask(destination, body))).toBeInstanceOf(ApiError);
      expect(requests()).toBe(2);
    }
  });
});

test("a request is retried once, and not on another reused connection", async () => {
  let isRestarted = false;
  let requests = 0;
  const first = Promise.withResolvers<void>();
  const waiting: Socket[] = [];
  const destination = await serve((socket) => {
    socket.on("data", () => {
      requests++;
      if (isRestarted) return void socket.end();
      waiting.push(socket);
      if (waiting.length === 2) first.resolve();
      return undefined;
    });
  });
  const asked = [ask(destination, BRACES), ask(destination, BRACES)];
  await first.promise;
  for (const socket of waiting) socket.write(OK);
  for (const reply of await Promise.all(asked)) await reply.text();
  isRestarted = true;
  expect(await failureOf(ask(destination, BRACES))).toMatchObject({ fault: { kind: "broken" } });
  expect(requests).toBe(4);
});

/**
 * llama.cpp (cpp-httplib) shuts down its side right after the last chunk, although the head says `Keep-Alive: timeout=5`, and then reads
 * without responding. A request that follows immediately is written before the client sees the end of the connection.
 */
test("a request after a stream succeeds although the server closed its keep-alive connection", async () => {
  const head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nkeep-alive: timeout=5, max=100\r\n\r\n";
  const destination = await serve((socket) => {
    socket.once("data", () => void socket.end(`${head}2\r\n{}\r\n0\r\n\r\n`));
  });
  for (let round = 0; round < 20; round++) expect(await (await ask(destination, BRACES)).text()).toBe("{}");
});

const replyWith = (text: string): string => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
const toLoopback = (): Promise<string[]> => Promise.resolve(["127.0.0.1"]);

test("a late response of one upstream does not reach the caller of another at the same address and port", async () => {
  const ownerOf = new Map<Socket, string>();
  const port = await listen((socket) => {
    socket.on("data", (bytes: Buffer) => {
      const host = /host: (\w+)/i.exec(bytes.toString("latin1"))![1]!;
      // Late bytes of the response to the first of the two requests, which arrive with the next request.
      for (const [open, owner] of ownerOf) if (owner !== host) open.write(replyWith(`for ${owner}`));
      if (!ownerOf.has(socket)) ownerOf.set(socket, host);
      socket.write(replyWith(`for ${host}`));
    });
  });
  for (const name of ["one", "two"]) {
    const destination = new Destination({ baseUrl: `http://${name}.test:${port}`, allowPrivate: true }, toLoopback);
    // Only a name whose address is known can get a connection from the pool.
    await destination.addresses();
    expect(await (await ask(destination, BRACES)).text()).toBe(`for ${name}`);
  }
  expect([...ownerOf.values()]).toEqual(["one", "two"]);
});

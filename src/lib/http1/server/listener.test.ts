import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { request as nodeRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { startAnswering, withoutDate, type AnsweringListener } from "../../../../test/support/http/answering-listener.ts";
import { sendPieces } from "../../../../test/support/http/raw-caller.ts";
import { parseRange } from "../../net/ip-address.ts";
import { Http1Listener } from "./listener.ts";
import { until } from "../../../../test/support/eventually.ts";
import { UNBOUNDED } from "../../../../test/support/http/unbounded-listener.ts";

/** A listener that handles no request. */
const FAILING = {
  ...UNBOUNDED,
  handle: () => Promise.reject(new Error()),
  refuse() {
    throw new Error("a bug");
  },
};

let server: AnsweringListener;
let listener: Http1Listener;

beforeEach(() => {
  server = startAnswering();
  ({ listener } = server);
});
afterEach(() => listener.close());

const HOST = "Host: x\r\n";
const GET = `GET /a HTTP/1.1\r\n${HOST}\r\n`;
const LAST = `GET /last HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;

describe("an invalid request is rejected at once, and nothing behind it is read", () => {
  const cases: [name: string, bytes: string, reason: string][] = [
    ["a TLS hello", "\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03", "it begins with a byte that no method has"],
    ["lines that end in LF", "GET / HTTP/1.1\nHost: x\n\n", "its first line does not end in CR LF"],
    ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "its first line is not an HTTP/1.1 request line"],
    ["two empty lines", `\r\n\r\n${LAST}`, "its first line is not an HTTP/1.1 request line"],
    ["a head without an end", `GET / HTTP/1.1\r\n${HOST}A: ${"b".repeat(18_000)}`, "larger than 16384 bytes"],
    [
      "a head with too much in it",
      `GET / HTTP/1.1\r\n${HOST}A: b\0\r\n\r\n${LAST}`,
      "one of its header lines is not a name, a colon and a value",
    ],
  ];
  for (const [name, bytes, reason] of cases) {
    test(name, async () => {
      const reply = withoutDate(await sendPieces(listener.port, [bytes]));
      const words = `refused: ${reason}`;
      expect(reply).toBe(`HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: ${words.length}\r\n\r\n${words}`);
    });
  }
});

const hi = (asked: string): string => `HTTP/1.1 200 OK\r\ncontent-length: ${asked.length}\r\n\r\n${asked}`;
const last = (asked: string): string => hi(asked).replace("content-length", "connection: close\r\ncontent-length");

describe("the end of a request", () => {
  const cases: [name: string, bytes: string, replies: string][] = [
    ["an empty line before it is not part of it", `\r\n${LAST}`, last("GET /last")],
    ["nothing is read after the last one", LAST + LAST, last("GET /last")],
    ["HTTP/1.0 has one for each connection", "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", last("GET /a")],
    ["HTTP/1.0 has no chunked bodies", "GET /stream HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nGET /stream in pieces"],
    ["HEAD has no body", `HEAD /a HTTP/1.1\r\n${HOST}\r\n${LAST}`, "HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n" + last("GET /last")],
    ["a body that is not wanted", `GET /a HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\nabc${LAST}`, hi("GET /a") + last("GET /last")],
    ["whole addresses", `GET http://y/a?b HTTP/1.1\r\n${HOST}\r\n${LAST}`, hi("GET /a?b") + last("GET /last")],
  ];
  for (const [name, bytes, replies] of cases) {
    test(name, async () => expect(withoutDate(await sendPieces(listener.port, [bytes]))).toBe(replies));
  }

  test("a large reply arrives complete, also where the connection is closed after it", async () => {
    const reply = await sendPieces(listener.port, [`GET /large HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`]);
    expect([reply.length > 4_000_000, reply.endsWith("xxx")]).toEqual([true, true]);
  });
});

test("a client that sends a large body receives the rejection", async () => {
  for (const headers of [
    { "content-length": "8000000" },
    { "transfer-encoding": "chunked" },
    { "content-length": "8000000", connection: "close" },
  ]) {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const request = nodeRequest({ port: listener.port, host: "127.0.0.1", method: "POST", path: "/read", headers }, (reply) => {
      reply.resume().on("end", () => resolve(reply.statusCode));
    });
    request.on("error", reject).end(Buffer.alloc(8_000_000));
    expect(await promise).toBe(413);
  }
});

test("a client that disconnects, or half-closes, receives no reply", async () => {
  const leaving = await connected();
  leaving.write(`GET /never HTTP/1.1\r\n${HOST}\r\n`);
  await until(() => listener.pending === 1);
  leaving.end();
  await until(() => listener.pending === 0);
});

test("a port is exclusive", () => {
  expect(() => new Http1Listener({ ...FAILING, port: listener.port, reportFailure: () => undefined })).toThrow();
});

test("an exception on a connection is reported, and closes only that one", async () => {
  const failing = await connected();
  failing.write(`GET /fail HTTP/1.1\r\n${HOST}\r\n`);
  await until(() => listener.pending === 1);
  failing.destroy();
  await until(() => server.failures.length === 1);
  expect([server.failures, listener.pending]).toEqual([[new Error("a bug")], 0]);
  expect(await sendPieces(listener.port, [LAST])).toContain("GET /last");
});

test("a connection on which the rejection fails is closed", async () => {
  const failures: unknown[] = [];
  const failing = new Http1Listener({ ...FAILING, reportFailure: (thrown) => failures.push(thrown) });
  expect(await sendPieces(failing.port, ["nonsense\r\n\r\n"])).toMatch(/^( and a reset)?$/);
  expect(failures).toEqual([new Error("a bug")]);
  await failing.close();
});

describe("connections beyond the maximum", () => {
  const MAX = 30;
  const WORDS = "refused: too many connections";

  beforeEach(async () => {
    await listener.close();
    // A trusted proxy: its connections are not closed in favour of others.
    server = startAnswering({ maxConnections: MAX, trustedProxies: [parseRange("127.0.0.0/8")!] });
    ({ listener } = server);
  });

  test("are rejected with a reply and reported once; earlier connections, and new ones after some have closed, are served", async () => {
    const early = await open(MAX);
    for (let times = 0; times < 3; times++) expect(await askWithKey()).toEndWith(`\r\n\r\n${WORDS}`);
    expect([server.timesFull, listener.counts.closed.full]).toEqual([1, 3]);
    early[0]!.write(LAST);
    await once(early[0]!, "data");
    for (const each of early) each.destroy();
    await until(async () => (await askWithKey()).includes("GET /last"));
    await open(MAX);
    await until(async () => (await askWithKey()).includes(WORDS));
    expect(server.timesFull).toBe(2);
  });

  test("serve one request without a credential, or of an operator", async () => {
    await open(MAX);
    expect(await sendPieces(listener.port, [GET + LAST])).toMatch(/connection: close\r\n.*GET \/a$/s);
    expect(await askWithKey("operator")).toContain("GET /last");
    expect(listener.counts.closed.full).toBe(0);
  });

  test("are closed at once where they are very many, do not count against the maximum, and are forgotten when they close", async () => {
    const early = await open(MAX);
    const turnedAway = await open(3);
    expect(await askWithKey()).toMatch(/^( and a reset)?$/);
    early[0]!.destroy();
    await until(async () => (await askWithKey()).includes("GET /last"));
    await open(1);
    for (const each of turnedAway) each.destroy();
    await until(async () => (await askWithKey()).includes(WORDS));
  });

  test("wait for the requests on them at a drain", async () => {
    await open(MAX);
    const [reserved] = await open(1);
    reserved!.write(`GET /held HTTP/1.1\r\n${HOST}\r\n`);
    await until(() => listener.pending === 1);
    const drained = listener.drain();
    server.release();
    await Promise.all([once(reserved!, "data"), drained]);
  });
});

describe("connections without a valid credential", () => {
  const MAX = 40;
  const OF_AN_ADDRESS = MAX / 4;
  const WITH_KEY = `GET /a HTTP/1.1\r\n${HOST}Authorization: valid\r\n\r\n`;

  beforeEach(async () => {
    await listener.close();
    server = startAnswering({ maxConnections: MAX });
    ({ listener } = server);
  });

  /** Opens connections that have each received a rejection. */
  async function rejected(count: number, address?: string): Promise<Socket[]> {
    const opened = await open(count, address);
    await Promise.all(opened.map((each) => (each.write(`GET /rejected HTTP/1.1\r\n${HOST}\r\n`), once(each, "data"))));
    return opened;
  }

  test("are limited per address: the oldest is closed for the next, and authenticated clients are served", async () => {
    const early = await rejected(OF_AN_ADDRESS);
    const isClosed = once(early[0]!, "close");
    expect(await ask()).toContain("GET /last");
    await isClosed;
    await until(() => listener.counts.unauthenticated === OF_AN_ADDRESS - 1);
    expect(listener.counts).toMatchObject({ authenticated: 0, closed: { full: 0, address_limit: 1 } });
    early[1]!.write(WITH_KEY);
    await once(early[1]!, "data");
    expect(listener.counts).toMatchObject({ authenticated: 1, unauthenticated: OF_AN_ADDRESS - 2 });
  });

  test("may exceed the limit while they are new, and are closed down to it after rejected requests", async () => {
    const many = await open(2 * OF_AN_ADDRESS);
    expect(listener.counts).toMatchObject({ unauthenticated: 2 * OF_AN_ADDRESS, closed: { address_limit: 0 } });
    await Promise.all(many.map((each) => (each.write(`GET /rejected HTTP/1.1\r\n${HOST}\r\n`), once(each, "data"))));
    expect(await ask()).toContain("GET /last");
    expect(listener.counts.closed.address_limit).toBe(OF_AN_ADDRESS + 1);
  });

  test("of one address are at most half of the maximum, however new they are", async () => {
    await open(MAX / 2);
    await open(1).catch(() => undefined);
    await until(() => listener.counts.closed.address_limit === 1);
    await open(MAX / 2, "127.0.0.2");
    expect(listener.counts).toMatchObject({ unauthenticated: MAX, closed: { address_limit: 1, full: 0 } });
  });

  test("are counted per address", async () => {
    await rejected(OF_AN_ADDRESS);
    await rejected(OF_AN_ADDRESS, "127.0.0.2");
    expect(listener.counts).toMatchObject({ unauthenticated: 2 * OF_AN_ADDRESS, closed: { address_limit: 0 } });
  });

  test("are not closed while a request is in flight: the next connection is rejected", async () => {
    const busy = await rejected(OF_AN_ADDRESS);
    for (const each of busy) each.write(`GET /never HTTP/1.1\r\n${HOST}\r\n`);
    await until(() => listener.pending === OF_AN_ADDRESS);
    expect(await ask()).toEndWith("refused: too many connections from one address without a valid key");
    expect([listener.pending, server.timesFull]).toEqual([OF_AN_ADDRESS, 0]);
  });

  test("are closed for a client of any address when the listener is full; authenticated ones are not", async () => {
    const authenticated = await open(OF_AN_ADDRESS, "127.0.0.4");
    await Promise.all(authenticated.map((each) => (each.write(WITH_KEY), once(each, "data"))));
    for (let address = 1; address <= 3; address++) await rejected(OF_AN_ADDRESS, `127.0.0.${address}`);
    for (let times = 1; times <= 5; times++) expect(await askFrom("127.0.0.5")).toContain("GET /last");
    expect(listener.counts).toMatchObject({ authenticated: OF_AN_ADDRESS, closed: { address_limit: 0 } });
    expect(listener.counts.closed.full).toBeGreaterThanOrEqual(1);
    expect(server.timesFull).toBe(0);
  });
});

describe("a connection is closed", () => {
  const WITH_KEY = `GET /a HTTP/1.1\r\n${HOST}Authorization: valid\r\n\r\n`;

  test("by a FIN after the announced idle timeout", async () => {
    const short = startAnswering({ keepAliveSeconds: 1 });
    const socket = await connected("127.0.0.1", short.listener.port);
    const end = endOf(socket);
    const reply = textOf(socket);
    socket.write(WITH_KEY);
    const lines = "connection: keep-alive\r\nkeep-alive: timeout=1\r\ncontent-length";
    expect(withoutDate(await reply)).toBe(hi("GET /a").replace("content-length", lines));
    expect(await end).toBe("FIN");
    await short.listener.close();
  });

  test("at shutdown by a FIN where it is idle, and by a reset where a reply is incomplete", async () => {
    const [unused, idle, busy] = await open(3);
    idle!.write(WITH_KEY);
    await once(idle!, "data");
    busy!.write(`GET /never HTTP/1.1\r\n${HOST}\r\n`);
    await until(() => listener.pending === 1);
    const ends = [unused!, idle!, busy!].map(endOf);
    await listener.close();
    expect(await Promise.all(ends)).toEqual(["FIN", "FIN", "RST"]);
  });
});

describe("draining", () => {
  test("waits for the requests in flight, accepts no connection, and serves one more request on each open one", async () => {
    const [idle, halfHead, kept, asking] = await open(4);
    halfHead!.write("GET / HT");
    kept!.write(`GET /a HTTP/1.1\r\n${HOST}\r\n`);
    await once(kept!, "data");
    const finished = sendPieces(listener.port, [`GET /held HTTP/1.1\r\n${HOST}\r\n`]);
    const busy = await connected();
    busy.write(`GET /never HTTP/1.1\r\n${HOST}\r\n`);
    await until(() => listener.pending === 2);
    let isDrained = false;
    const drained = listener.drain().then(() => (isDrained = true));
    server.release();
    expect(withoutDate(await finished)).toBe(last("GET /held"));
    expect(await connected().catch(() => "refused")).toBe("refused");
    const closing = [halfHead!, asking!].map((socket) => once(socket, "end"));
    asking!.write(`GET /last HTTP/1.1\r\n${HOST}\r\n`);
    halfHead!.write(`TP/1.1\r\n${HOST}\r\n`);
    expect(withoutDate(await textOf(asking!))).toBe(last("GET /last"));
    expect(withoutDate(await textOf(halfHead!))).toBe(last("GET /"));
    await Promise.all(closing);
    expect([isDrained, listener.pending]).toEqual([false, 1]);
    const ends = [idle!, kept!].map((socket) => once(socket, "end"));
    busy.destroy();
    await Promise.all([drained, ...ends]);
  });

  test("closes idle connections at once where nothing is in flight, without a reset", async () => {
    const idle = await open(3);
    idle[0]!.write(`GET /a HTTP/1.1\r\n${HOST}\r\n`);
    await once(idle[0]!, "data");
    const ends = idle.map((socket) => once(socket, "end"));
    await listener.drain();
    await Promise.all(ends);
  });

  test("where others accept the next connections, serves a request that is on its way when the last one in flight ends", async () => {
    const shared = startAnswering({ hasPeers: true });
    const asking = await connected(undefined, shared.listener.port);
    const held = await connected(undefined, shared.listener.port);
    held.write(`GET /held HTTP/1.1\r\n${HOST}\r\n`);
    await until(() => shared.listener.pending === 1);
    const reply = textOf(asking);
    const drained = shared.listener.drain();
    shared.release();
    asking.write(`GET /last HTTP/1.1\r\n${HOST}\r\n`);
    expect(withoutDate(await reply)).toBe(last("GET /last"));
    await drained;
    await shared.listener.close();
  });

  test("finish reads no more requests, and completes those in flight", async () => {
    const [idle, busy] = await open(2);
    busy!.write(`GET /never HTTP/1.1\r\n${HOST}\r\n`);
    await until(() => listener.pending === 1);
    void listener.drain();
    const end = once(idle!, "end");
    listener.finish();
    await end;
    expect([listener.pending, await connected().catch(() => "refused")]).toEqual([1, "refused"]);
  });

  test("resolves at once where nothing is in flight, and may be called twice", async () => {
    await Promise.all([listener.drain(), listener.drain()]);
  });

  test("is ended by close", async () => {
    const busy = await connected();
    busy.write(`GET /never HTTP/1.1\r\n${HOST}\r\n`);
    await until(() => listener.pending === 1);
    const drained = listener.drain();
    await Promise.all([listener.close(), drained, once(busy, "close")]);
  });
});

function ask(): Promise<string> {
  return sendPieces(listener.port, [LAST]);
}

function askWithKey(key = "valid"): Promise<string> {
  return sendPieces(listener.port, [LAST.replace("\r\n\r\n", `\r\nAuthorization: ${key}\r\n\r\n`)]);
}

async function askFrom(address: string): Promise<string> {
  const socket = await connected(address);
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.on("data", (data) => resolve(String(data))).on("close", () => resolve(""));
  socket.write(LAST);
  return promise;
}

function open(count: number, address?: string): Promise<Socket[]> {
  return Promise.all(Array.from({ length: count }, () => connected(address)));
}

const sockets: Socket[] = [];
afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));

async function connected(address = "127.0.0.1", port = listener.port): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress: address });
  sockets.push(socket);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket
    .on("connect", resolve)
    .on("error", reject)
    .on("data", () => undefined);
  await promise;
  return socket;
}

function once(socket: Socket, event: "data" | "end" | "close"): Promise<void> {
  return new Promise((resolve) => socket.once(event, () => resolve()));
}

function endOf(socket: Socket): Promise<"FIN" | "RST"> {
  return new Promise((resolve) => socket.once("end", () => resolve("FIN")).once("error", () => resolve("RST")));
}

function textOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => socket.once("data", (data) => resolve(String(data))));
}

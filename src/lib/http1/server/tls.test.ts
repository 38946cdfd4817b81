import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from "node:tls";
import { eventually } from "../../../../test/support/eventually.ts";
import { startAnswering, type AnsweringListener } from "../../../../test/support/http/answering-listener.ts";
import { isLong } from "../../../../test/support/long.ts";
import { makeCertificate, openssl, readPair, shakeHands } from "../../../../test/support/tls/certificates.ts";
import type { TlsPair } from "../../net/tls-pair.ts";

const HOST = "Host: x\r\n";
const LAST = `GET /last HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;

describe.skipIf(!openssl)("a listener with TLS", () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-tls-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const [first, second] = openssl ? ["first", "second"].map((name) => readPair(makeCertificate(folder, name))) : [];

  const tls = { current: first! };
  let server: AnsweringListener;
  let port: number;
  beforeEach(() => start());
  afterEach(async () => {
    for (const each of sockets.splice(0)) each.destroy();
    await server.listener.close();
  });

  function start(maxConnections = Infinity): void {
    tls.current = first!;
    server = startAnswering({ tls, maxConnections });
    ({ port } = server.listener);
  }

  const sockets: Socket[] = [];

  async function connected(address = "127.0.0.1"): Promise<Socket> {
    const socket = connect({ port, host: "127.0.0.1", localAddress: address });
    sockets.push(socket);
    await new Promise((resolve, reject) => socket.on("connect", resolve).on("error", reject));
    return socket.on("data", () => undefined);
  }

  async function encrypted(options: ConnectionOptions = {}): Promise<TLSSocket> {
    const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false, ...options });
    sockets.push(socket);
    await new Promise((resolve, reject) => socket.on("secureConnect", resolve).on("error", reject).on("close", reject));
    return socket;
  }

  /** Sends this, and returns all that comes back until the connection ends. */
  async function send(text: string, options: ConnectionOptions = {}): Promise<string> {
    const socket = await encrypted(options);
    let received = "";
    const ended = new Promise((resolve) => socket.on("data", (data) => (received += String(data))).on("end", resolve));
    socket.write(text);
    await ended;
    return received;
  }

  const isServed = async (options: ConnectionOptions = {}): Promise<boolean> =>
    (await send(LAST, options).catch(() => "")).endsWith("GET /last");

  const openCount = (): number => server.listener.counts.unauthenticated + server.listener.counts.authenticated;
  const untilClosed = (): Promise<number> => eventually(openCount, (open) => open === 0);

  test("has TLS 1.2 and 1.3 with forward secrecy, http/1.1, and nothing older or weaker", async () => {
    const anything = ["-cipher", "ALL:@SECLEVEL=0"];
    const alpn = ["-alpn", "h2,http/1.1"];
    expect(await shakeHands(port, "-tls1_3", ...alpn)).toMatchObject({ version: "TLSv1.3", alpn: "http/1.1", subject: "first" });
    expect(await shakeHands(port, "-tls1_2", ...alpn)).toMatchObject({ version: "TLSv1.2", alpn: "http/1.1" });
    expect(await shakeHands(port)).toMatchObject({ version: "TLSv1.3", alpn: undefined });
    for (const old of ["-tls1", "-tls1_1"]) {
      expect(await shakeHands(port, old, ...anything)).toMatchObject({ version: undefined, error: "protocol version" });
    }
    expect(await shakeHands(port, "-alpn", "h2")).toMatchObject({ version: undefined, error: "no application protocol" });
    for (const weak of ["ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES128-SHA256", "AES128-GCM-SHA256"]) {
      const refused = await shakeHands(port, "-tls1_2", "-cipher", `${weak}:@SECLEVEL=0`);
      expect([weak, refused.version, refused.error]).toEqual([weak, undefined, "handshake failure"]);
    }
    expect(server.failures).toEqual([]);
  });

  test("serves requests as without TLS: pipelined, streamed, large for a slow reader, and with a large upload", async () => {
    expect(await send(`GET /stream HTTP/1.1\r\n${HOST}\r\n${LAST}`)).toMatch(/GET \/stream[^]+pieces[^]+GET \/last$/);
    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      const slow = await encrypted({ minVersion: version, maxVersion: version });
      slow.pause().write(`GET /large HTTP/1.1\r\n${HOST}\r\nGET /large HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
      await eventually(
        () => server.listener.pending,
        (pending) => pending === 1,
      );
      let bytes = 0;
      slow.on("data", (data) => {
        bytes += data.length;
        slow.pause();
        setImmediate(() => slow.resume());
      });
      slow.resume();
      await new Promise((resolve) => slow.on("end", resolve));
      expect(bytes).toBeGreaterThan(8_000_000);
    }
    const upload = `POST /read HTTP/1.1\r\n${HOST}Connection: close\r\nContent-Length: 8000000\r\n\r\n${"x".repeat(8_000_000)}`;
    expect(await send(upload)).toStartWith("HTTP/1.1 413");
  });

  test("closes a connection in plain HTTP, without a reply, a reset or a log line", async () => {
    const plain = await connected();
    let received = "";
    const ended = new Promise<string>((resolve) =>
      plain
        .on("data", (data) => (received += String(data)))
        .on("end", () => resolve("FIN"))
        .on("error", () => resolve("RST")),
    );
    plain.write(LAST);
    expect([await ended, received, server.failures]).toEqual(["FIN", "", []]);
    await untilClosed();
  });

  test("forgets a client that disconnects at any point of the handshake", async () => {
    const hello = await clientHello();
    const cuts = isLong ? hello.keys().toArray() : [0, 1, 4, 5, 6, 40, 100, hello.length - 1, hello.length];
    for (const cut of cuts) {
      const leaving = await connected();
      leaving.write(hello.subarray(0, cut));
      await eventually(openCount, (open) => open > 0, { everyMs: 1 });
      if (cut % 2 === 0) leaving.destroy();
      else leaving.resetAndDestroy();
      await untilClosed();
    }
    expect([server.failures, await isServed()]).toEqual([[], true]);
  });

  test("closes a connection whose records were changed, and does not take it for a bug", async () => {
    let isChanging = false;
    const proxy = createServer((client) => {
      const onward = connect(port, "127.0.0.1");
      client.on("data", (data) => {
        const bytes = Buffer.from(data);
        const end = bytes.length - 1;
        if (isChanging) bytes[end] = bytes[end]! ^ 1;
        onward.write(bytes);
      });
      onward.on("data", (bytes) => client.write(bytes)).on("close", () => client.destroy());
      for (const each of [client, onward]) each.on("error", () => undefined);
    }).listen(0);
    const socket = await encrypted({ port: (proxy.address() as AddressInfo).port });
    isChanging = true;
    const closed = new Promise((resolve) => socket.on("close", resolve));
    socket.on("error", () => undefined).write(LAST);
    await closed;
    await untilClosed();
    proxy.close();
    expect(server.failures).toEqual([]);
  });

  describe("handshakes that are never completed", () => {
    const MAX = 40;

    beforeEach(async () => {
      await server.listener.close();
      start(MAX);
    });

    test("are limited per address, and make room for clients that complete theirs", async () => {
      const hello = await clientHello();
      const open = Array.from({ length: MAX / 2 }, async (_, at) => (await connected()).write(hello.subarray(0, at * 10)));
      await Promise.all(open);
      await eventually(openCount, (count) => count === MAX / 2);
      // One address can have at most half of the connections, even if they are new.
      expect(await isServed()).toBe(false);
      expect(await isServed({ localAddress: "127.0.0.2" } as ConnectionOptions)).toBe(true);
      // The connections had two seconds to authenticate, so the oldest are closed.
      await eventually(isServed, Boolean, { everyMs: 200 });
      expect(server.listener.counts.closed.address_limit).toBeGreaterThan(MAX / 4);
      expect([server.failures, server.timesFull]).toEqual([[], 0]);
    });

    test("are closed by a drain, and at shutdown", async () => {
      const silent = await connected();
      const ended = new Promise((resolve) => silent.on("end", resolve));
      await server.listener.drain();
      await ended;
    });

    test.skipIf(!isLong)("time out after 30 seconds, however slowly they go on", async () => {
      const hello = await clientHello();
      const [silent, slow] = [await connected(), await connected()];
      const ends = [silent, slow].map((socket) => new Promise((resolve) => socket.on("end", resolve)));
      const timer = setInterval(() => slow.write(hello.subarray(0, 1)), 1000);
      slow.on("error", () => undefined);
      await Promise.all(ends);
      clearInterval(timer);
    });
  });

  test("uses a renewed pair for new connections, while open ones go on", async () => {
    const early = await encrypted();
    tls.current = second as TlsPair;
    expect((await shakeHands(port)).subject).toBe("second");
    expect(early.getPeerCertificate().subject.CN).toBe("first");
    let received = "";
    const ended = new Promise((resolve) => early.on("data", (data) => (received += String(data))).on("end", resolve));
    early.write(`GET /a HTTP/1.1\r\n${HOST}\r\n${LAST}`);
    await ended;
    expect(received).toEndWith("GET /last");
  });

  test("resumes sessions, which saves a signature per connection", async () => {
    const session = await new Promise<Buffer>((resolve) => {
      void encrypted({ maxVersion: "TLSv1.2" }).then((socket) => resolve(socket.getSession()!));
    });
    const again = await encrypted({ maxVersion: "TLSv1.2", session });
    expect(again.isSessionReused()).toBe(true);
  });
});

/** The first message of a client. */
function clientHello(): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const recorder = createServer((socket) => {
    socket.once("data", (bytes) => {
      resolve(Buffer.from(bytes));
      socket.destroy();
      recorder.close();
    });
  }).listen(0, "127.0.0.1", () => {
    connectTls((recorder.address() as AddressInfo).port, "127.0.0.1").on("error", () => undefined);
  });
  return promise;
}

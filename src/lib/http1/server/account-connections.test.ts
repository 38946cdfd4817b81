import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { eventually } from "../../../../test/support/eventually.ts";
import { startAnswering, type AnsweringListener } from "../../../../test/support/http/answering-listener.ts";
import type { Http1Listener } from "./listener.ts";

/** The connections of clients with a valid credential. In each test, one client attacks all others. */

const MAX = 40;
const RESERVED = 4;

let server: AnsweringListener;
let listener: Http1Listener;
let sockets: Socket[] = [];
const revoked = new Set<string>();

beforeEach(() => {
  server = startAnswering({ maxConnections: MAX, isCredentialValid: (credential) => !revoked.has(credential) });
  ({ listener } = server);
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  revoked.clear();
  await listener.close();
});

const head = (path: string, key?: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${key ? `Authorization: ${key}\r\n` : ""}\r\n`;

async function open(localAddress = "127.0.0.1"): Promise<Socket> {
  const socket = connect({ port: listener.port, host: "127.0.0.1", localAddress });
  sockets.push(socket);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** Sends a request, and returns the reply; empty if the connection is closed. */
async function ask(socket: Socket, path: string, key?: string): Promise<string> {
  socket.write(head(path, key));
  const [reply] = (await Promise.race([once(socket, "data"), once(socket, "close")])) as [Buffer | boolean];
  return Buffer.isBuffer(reply) ? String(reply) : "";
}

/** Connections on which a request with a key was answered, one after another. */
async function idleOf(count: number, key: string, localAddress?: string): Promise<Socket[]> {
  const opened: Socket[] = [];
  for (let at = 0; at < count; at++) {
    opened.push(await open(localAddress));
    expect(await ask(opened.at(-1)!, "/a", key)).toContain("GET /a");
  }
  return opened;
}

async function busyOf(count: number, key: string, path = "/held"): Promise<Socket[]> {
  const opened = await idleOf(count, key);
  for (const socket of opened) socket.write(head(path, key));
  await eventually(
    () => listener.pending,
    (pending) => pending >= count,
  );
  return opened;
}

describe("an account with idle connections", () => {
  test("has all of them while nobody else needs one, and keeps none from others", async () => {
    const hoard = await idleOf(MAX, "hoarder");
    expect(listener.counts).toMatchObject({ authenticated: MAX, closed: { full: 0 } });
    for (let at = 1; at <= MAX / 2; at++) expect(await ask(await open("127.0.0.2"), "/a", `client-${at}`)).toContain("GET /a");
    expect(hoard.filter(({ destroyed }) => !destroyed).length).toBeLessThanOrEqual(MAX / 2);
    expect(server.timesFull).toBe(0);
  });

  test("loses them before an account that has less", async () => {
    const [small] = await idleOf(1, "small");
    await idleOf(MAX - 1, "hoarder");
    for (let at = 0; at < MAX; at++) expect(await ask(await open(), "/a", "hoarder")).toContain("GET /a");
    expect(await ask(small!, "/a", "small")).toContain("GET /a");
  });

  test("that has sent a part of a request on each does not keep them", async () => {
    const hoard = await idleOf(MAX - 1, "hoarder");
    await idleOf(1, "small");
    await Promise.all(hoard.map((socket) => new Promise((resolve) => socket.write("GET /slow", resolve))));
    for (let at = 1; at <= MAX / 2; at++) expect(await ask(await open("127.0.0.2"), "/a", `client-${at}`)).toContain("GET /a");
  });

  test("does not lose them to clients without a credential, beyond half of the maximum", async () => {
    await idleOf(MAX / 2, "client");
    for (let at = 0; at < MAX; at++) await open(`127.0.0.${2 + (at % 8)}`);
    expect(listener.counts.authenticated).toBe(MAX / 2);
  });
});

test("a reply that is being sent to a slow reader is not cut for another account", async () => {
  const slow = await open();
  let received = 0;
  slow.pause().on("data", (bytes) => (received += bytes.length));
  slow.write(head("/large", "hoarder"));
  await busyOf(MAX - 2, "hoarder", "/held");
  await busyOf(1, "small", "/held");
  const openedAt = performance.now();
  // After this age a connection may be closed for another.
  await eventually(
    () => performance.now() - openedAt,
    (ageMs) => ageMs > 3000,
  );
  for (let at = 0; at < 3; at++) await ask(await open(), "/a", "another");
  slow.resume();
  await eventually(
    () => received,
    (bytes) => bytes > 4_000_000,
  );
  server.release();
});

describe("an account whose requests are in flight on all connections", () => {
  test("leaves the reserve to health checks, operators and accounts below their share", async () => {
    await busyOf(MAX, "hoarder");
    expect(await ask(await open(), "/healthz")).toMatch(/connection: close.*GET \/healthz/s);
    expect(await ask(await open(), "/a", "operator")).toContain("GET /a");
    expect(await ask(await open(), "/a", "small")).toContain("GET /a");
    expect(await ask(await open(), "/a", "hoarder")).toContain("refused: too many connections");
    expect([server.timesFull, listener.counts.closed.full]).toEqual([1, 1]);
    server.release();
  });

  test("is served as ever when they have ended", async () => {
    const [first] = await busyOf(MAX, "hoarder");
    server.release();
    await once(first!, "data");
    await eventually(
      () => listener.pending,
      (pending) => pending === 0,
    );
    expect(await ask(await open(), "/a", "hoarder")).toContain("GET /a");
  });

  test("does not keep health checks and operators out with the help of a second account", async () => {
    await busyOf(MAX, "hoarder");
    for (const key of ["second", "third", "fourth", "fifth"]) (await open("127.0.0.2")).write(head("/never", key));
    await eventually(
      () => listener.counts.closed.full,
      (full) => full > 0,
    );
    for (let at = 0; at < 2 * RESERVED; at++) {
      expect(await ask(await open(), "/healthz")).toContain("GET /healthz");
      expect(await ask(await open(), "/a", "operator")).toContain("GET /a");
    }
  });
});

describe("a connection belongs to a client without a credential", () => {
  test("after a 401", async () => {
    const [socket] = await idleOf(1, "client");
    expect(listener.counts).toMatchObject({ authenticated: 1, unauthenticated: 0 });
    expect(await ask(socket!, "/rejected")).toContain("401");
    expect(listener.counts).toMatchObject({ authenticated: 0, unauthenticated: 1 });
    expect(await ask(socket!, "/a", "client")).toContain("GET /a");
    expect(listener.counts).toMatchObject({ authenticated: 1, unauthenticated: 0 });
  });

  test("after its credential was revoked", async () => {
    const [revokedOne, other] = [...(await idleOf(1, "client")), ...(await idleOf(1, "another"))];
    revoked.add("client");
    await eventually(
      () => listener.counts.unauthenticated,
      (count) => count === 1,
    );
    expect([revokedOne!.destroyed, await ask(other!, "/a", "another")]).toEqual([false, expect.stringContaining("GET /a")]);
    expect(listener.counts).toMatchObject({ authenticated: 1, unauthenticated: 1 });
  });
});

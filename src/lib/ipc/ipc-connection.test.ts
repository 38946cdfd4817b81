import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../../test/support/eventually.ts";
import type { IpcConnection, IpcHandlers } from "./ipc-connection.ts";
import { connectIpc, listenIpc, type IpcServer } from "./ipc-socket.ts";

let folder: string;
let path: string;
let server: IpcServer;
let accepted: IpcConnection[];
let notices: unknown[];
let closures: string[];
let open: IpcConnection[];

const PASSIVE: IpcHandlers = { serve: () => undefined, notice: () => undefined, closed: () => undefined };

function serverSide(connection: IpcConnection): IpcHandlers {
  accepted.push(connection);
  // The connections of one test may end during the next test.
  const [ownNotices, ownClosures] = [notices, closures];
  return {
    serve: (method, body) => {
      if (method === "fail") throw new RangeError("out of range");
      if (method === "never") return new Promise(() => undefined);
      return method === "slow" ? Bun.sleep(20).then(() => body) : body;
    },
    notice: (method, body) => ownNotices.push([method, body]),
    closed: () => ownClosures.push("server"),
  };
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-ipc-"));
  path = join(folder, "socket");
  accepted = [];
  notices = [];
  closures = [];
  open = [];
  server = listenIpc(path, serverSide);
});
afterEach(() => {
  for (const connection of open) connection.close();
  server.close();
  rmSync(folder, { recursive: true });
});

async function connect(handlers: Partial<IpcHandlers> = {}): Promise<IpcConnection> {
  const connection = await connectIpc(path, { ...PASSIVE, ...handlers });
  open.push(connection);
  return connection;
}

test("calls return their replies, in any order", async () => {
  const client = await connect();
  const slow = client.call("slow", 1);
  expect(await client.call("echo", { text: "ü\n€", list: [1, null] })).toEqual({ text: "ü\n€", list: [1, null] });
  expect(await slow).toBe(1);
});

test("both sides may call", async () => {
  const client = await connect({ serve: (method, body) => [method, body] });
  await client.call("echo", 0);
  expect(await accepted[0]!.call("recall", "acme")).toEqual(["recall", "acme"]);
  expect(await client.call("echo", undefined)).toBeNull();
});

test("an error of the other side has its name and message", async () => {
  const client = await connect();
  const [result] = await Promise.allSettled([client.call("fail", 0)]);
  expect(result).toMatchObject({ status: "rejected", reason: { name: "RemoteError", code: "RangeError", message: "out of range" } });
});

test("notices arrive in order, before a later call", async () => {
  const client = await connect();
  for (let index = 0; index < 1000; index++) client.notify("count", index);
  await client.call("echo", 0);
  expect(notices).toEqual(Array.from({ length: 1000 }, (_, index) => ["count", index]));
});

test("messages of many megabytes pass in both directions", async () => {
  const client = await connect();
  const large = "€".repeat(3_000_000);
  expect(await client.call("echo", large)).toBe(large);
  const many = await Promise.all(Array.from({ length: 20 }, (_, index) => client.call("echo", [index, "x".repeat(200_000)])));
  expect(many.map((reply) => (reply as [number])[0])).toEqual(Array.from({ length: 20 }, (_, index) => index));
});

test("a call without a reply in time is lost, and its late reply is ignored", async () => {
  const client = await connect();
  const [never, late] = await Promise.allSettled([client.call("never", 0, 5), client.call("slow", 0, 1)]);
  expect([never, late]).toMatchObject([{ reason: { name: "ConnectionLost" } }, { reason: { name: "ConnectionLost" } }]);
  expect(await client.call("slow", 2)).toBe(2);
});

test("when the connection ends, pending calls are lost and both sides are notified once", async () => {
  const client = await connect({ closed: () => closures.push("client") });
  const pending = Promise.allSettled([client.call("never", 0)]);
  await client.call("echo", 0);
  accepted[0]!.close();
  expect(await pending).toMatchObject([{ reason: { name: "ConnectionLost" } }]);
  await eventually(
    () => closures.toSorted(),
    (seen) => seen.length === 2,
  );
  expect(closures.toSorted()).toEqual(["client", "server"]);
  const [after] = await Promise.allSettled([client.call("echo", 0)]);
  expect(after).toMatchObject({ reason: { name: "ConnectionLost" } });
});

test("a connection ends after everything that was sent before", async () => {
  const received: unknown[] = [];
  await connect({ notice: (_, body) => received.push((body as string).length) });
  await eventually(
    () => accepted.length,
    (count) => count === 1,
  );
  for (let index = 0; index < 5; index++) accepted[0]!.notify("large", "x".repeat(2_000_000));
  accepted[0]!.close();
  await eventually(
    () => closures.length,
    (count) => count === 1,
  );
  await eventually(
    () => received.length,
    (count) => count === 5,
  );
});

test("bytes that are not messages end the connection", async () => {
  await Bun.connect({ unix: path, socket: { open: (socket) => void socket.write("GET / HTTP/1.1\r\n\r\n"), data: () => undefined } });
  await eventually(
    () => closures.length,
    (count) => count === 1,
  );
});

test("the socket is for its owner alone, and replaces the file of an earlier process", async () => {
  expect(statSync(path).mode & 0o777).toBe(0o600);
  server.close();
  rmSync(path, { force: true });
  writeFileSync(path, "");
  const umask = process.umask();
  server = listenIpc(path, serverSide);
  expect([statSync(path).mode & 0o777, process.umask()]).toEqual([0o600, umask]);
  expect(await (await connect()).call("echo", 1)).toBe(1);
});

test("connecting fails where no process listens", async () => {
  const [connected] = await Promise.allSettled([connectIpc(join(folder, "nothing"), PASSIVE)]);
  expect(connected).toMatchObject({ status: "rejected", reason: { name: "ConnectionLost" } });
});

test("nothing is handled after this side has ended the connection", async () => {
  const seen: string[] = [];
  const client = await connect({
    notice: (method) => {
      seen.push(method);
      client.close();
    },
    closed: () => seen.push("closed"),
  });
  await client.call("echo", 0);
  // Written in one system call.
  accepted[0]!.notify("first", 0);
  accepted[0]!.notify("second", 0);
  await eventually(
    () => closures,
    (all) => all.includes("server"),
  );
  expect(seen).toEqual(["first", "closed"]);
});

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../test/support/eventually.ts";
import type { ConnectedProcess, OwnerService, ProcessService } from "../lib/ipc/ipc-service.ts";
import { OwnerConnection } from "./owner-connection.ts";
import { OwnerServer } from "./owner-server.ts";

let folder: string;
let events: string[];
const open: { close(): void }[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-owner-"));
  events = [];
});
afterEach(() => {
  for (const each of open.splice(0)) each.close();
  rmSync(folder, { recursive: true });
});

/** Resolves when an event has happened. */
const seen = (event: string): Promise<unknown> =>
  eventually(
    () => events,
    (all) => all.includes(event),
  );

/** Sums the numbers that processes state and send, and sends the sum to each process with its welcome. */
class CountingOwner implements OwnerService {
  readonly name = "counter";
  readonly processes = new Map<string, ConnectedProcess>();
  sum = 0;
  readonly calls = {
    add: (_: ConnectedProcess, body: unknown) => (this.sum += body as number),
    fail: () => {
      throw new RangeError("too much");
    },
  };
  readonly notices = { add: (_: ConnectedProcess, body: unknown) => void (this.sum += body as number) };

  connected(process: ConnectedProcess, statement: unknown): number {
    this.processes.set(process.id, process);
    return (this.sum += statement as number);
  }

  disconnected(processId: string): void {
    this.processes.delete(processId);
    events.push(`owner lost ${processId}`);
  }

  ended(processId: string): void {
    events.push(`${processId} ended`);
  }
}

class CountingProcess implements ProcessService {
  readonly name = "counter";
  readonly calls = { double: (body: unknown) => (body as number) * 2 };
  readonly notices = { add: (body: unknown) => void (this.sum += body as number) };
  own = 1;
  sum = 0;

  statement(): number {
    return this.own;
  }

  connected(initial: unknown): void {
    this.sum = initial as number;
    events.push("connected");
  }

  disconnected(): void {
    events.push("process lost the owner");
  }
}

function startOwner(survivors: readonly string[] = []): { server: OwnerServer; service: CountingOwner } {
  const service = new CountingOwner();
  const server = new OwnerServer({
    path: join(folder, "owner.sock"),
    services: [service],
    survivors,
    mayJoin: (id) => id !== "stranger",
    monotonicMs: () => performance.now(),
    joined: ({ id }) => events.push(`${id} joined`),
    left: () => undefined,
    reportFailure: (thrown) => events.push(String(thrown)),
  });
  open.push(server);
  return { server, service };
}

function newProcess(id: string): { connection: OwnerConnection; service: CountingProcess } {
  const connection = new OwnerConnection({
    path: join(folder, "owner.sock"),
    hello: () => ({ id, pid: 1, startedAtMs: 0, settingsDigest: "digest", isListening: false }),
    refused: () => events.push("refused"),
    reportFailure: (thrown) => events.push(String(thrown)),
  });
  open.push(connection);
  return { connection, service: new CountingProcess() };
}

test("both sides call each other and send notices", async () => {
  const { service: owner } = startOwner();
  const { connection, service } = newProcess("one");
  await connection.connect([service]);
  expect(service.sum).toBe(1);
  expect(await connection.call("counter.add", 5)).toBe(6);
  connection.notify("counter.add", 1);
  const process = owner.processes.get("one")!;
  expect(await process.call("counter.double", 21)).toBe(42);
  process.notify("counter.add", 10);
  await eventually(
    () => [owner.sum, service.sum],
    (sums) => Bun.deepEquals(sums, [7, 11]),
  );
});

test("names the error of a call, and a method that nobody has", async () => {
  startOwner();
  const { connection, service } = newProcess("one");
  await connection.connect([service]);
  const results = await Promise.allSettled([connection.call("counter.fail", 0), connection.call("nobody.add", 0)]);
  expect(results.map((each) => each.status === "rejected" && String(each.reason.message))).toEqual(["too much", "there is no nobody.add"]);
});

test("a notice behind the welcome builds on what the welcome tells", async () => {
  const { service: owner } = startOwner();
  const connected = owner.connected.bind(owner);
  owner.connected = (process, statement) => {
    const initial = connected(process, statement);
    process.notify("counter.add", 100);
    return initial;
  };
  const { connection, service } = newProcess("one");
  await connection.connect([service]);
  await eventually(
    () => service.sum,
    (sum) => sum === 101,
  );
});

test("a process connects to a new owner, and states itself again", async () => {
  const { server } = startOwner();
  const { connection, service } = newProcess("one");
  await connection.connect([service]);
  service.own = 7;
  server.close();
  await seen("process lost the owner");
  const [lost] = await Promise.allSettled([connection.call("counter.add", 1)]);
  expect(String(lost.status === "rejected" && lost.reason.name)).toBe("ConnectionLost");
  const { service: next } = startOwner(["one"]);
  await eventually(
    () => events,
    (all) => all.filter((each) => each === "connected").length === 2,
  );
  expect([next.sum, service.sum]).toEqual([7, 7]);
});

test("nobody is welcomed before every survivor has joined or was forgotten", async () => {
  const { server, service: owner } = startOwner(["one", "gone"]);
  const one = newProcess("one");
  const two = newProcess("two");
  const welcomes = Promise.all([one.connection.connect([one.service]), two.connection.connect([two.service])]);
  await eventually(
    () => server.awaited,
    (awaited) => awaited.join() === "gone",
  );
  // The notice is sent after the statement, so it is counted after the statements of all processes.
  one.connection.notify("counter.add", 10);
  expect(owner.sum).toBe(0);
  server.forget("gone");
  await welcomes;
  await eventually(
    () => owner.sum,
    (sum) => sum === 12,
  );
});

test("the services learn of the end of a connection and of a process", async () => {
  const { server } = startOwner();
  const { connection, service } = newProcess("one");
  await connection.connect([service]);
  expect(server.silenceMs("one")).toBeGreaterThanOrEqual(0);
  connection.close();
  await seen("owner lost one");
  expect([server.find("one"), server.silenceMs("one")]).toEqual([undefined, undefined]);
  server.ended("one");
  expect(events.at(-1)).toBe("one ended");
});

test("a survivor that leaves before it was welcome is awaited again", async () => {
  const { server } = startOwner(["one", "two"]);
  const [one, two] = [newProcess("one"), newProcess("two")];
  const first = one.connection.connect([one.service]).catch(() => undefined);
  await eventually(
    () => server.awaited,
    (awaited) => awaited.join() === "two",
  );
  one.connection.close();
  await first;
  await eventually(
    () => server.awaited,
    (awaited) => awaited.toSorted().join() === "one,two",
  );
  const again = newProcess("one");
  await Promise.all([again.connection.connect([again.service]), two.connection.connect([two.service])]);
});

test("a process that the owner neither started nor adopted is refused, and does not connect again", async () => {
  const { service: owner } = startOwner();
  const { connection, service } = newProcess("stranger");
  const [joined] = await Promise.allSettled([connection.connect([service])]);
  expect([joined.status, owner.sum]).toEqual(["rejected", 0]);
  expect(events.filter((event) => event === "refused")).toHaveLength(1);
});

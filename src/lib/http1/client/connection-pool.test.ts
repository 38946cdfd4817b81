import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../../test/support/long.ts";
import { Connection } from "./connection.ts";
import { ConnectionPool } from "./connection-pool.ts";

/** A fake socket that only records whether it is open. */
class FakeSocket {
  isOpen = true;
  write = (data: string): number => (this.isOpen ? data.length : -1);
  end = (): void => void (this.isOpen = false);
  terminate = (): void => void (this.isOpen = false);
  ref = (): void => undefined;
  unref = (): void => undefined;
}

const NO_USER = { received: () => undefined, closed: () => undefined };

/** A pool and a naive model of it: the connections in use, and the idle ones, newest last. */
class PoolModel {
  static #ports = 1;
  readonly origin = { isEncrypted: false, hostname: "name.test", port: PoolModel.#ports++ };
  readonly pool = ConnectionPool.at("192.0.2.1", this.origin);
  readonly sockets = new Map<Connection, FakeSocket>();
  readonly inUse: Connection[] = [];
  readonly idle: Connection[] = [];

  open(): void {
    const socket = new FakeSocket();
    const connection = new Connection(this.pool, socket as unknown as Bun.Socket<unknown>);
    connection.send("GET", undefined, NO_USER);
    this.sockets.set(connection, socket);
    this.inUse.push(connection);
  }

  take(): void {
    const connection = this.pool.take();
    expect(connection).toBe(this.idle.pop());
    if (!connection) return;
    expect(connection.send("GET", undefined, NO_USER)).toBe(true);
    this.inUse.push(connection);
  }

  /** Removes the connection at an index from a list. */
  pick(list: Connection[], at: number): Connection | undefined {
    return list.splice(at % Math.max(1, list.length), 1)[0];
  }

  isOpen(connection: Connection): boolean {
    return this.sockets.get(connection)!.isOpen;
  }
}

const STEPS: Record<string, (model: PoolModel, at: number) => void> = {
  open: (model) => model.open(),
  take: (model) => model.take(),
  "a response is complete": (model, at) => {
    const connection = model.pick(model.inUse, at);
    connection?.release(60_000);
    if (connection) model.idle.push(connection);
  },
  "a response is complete, and the server wants to close": (model, at) => {
    const connection = model.pick(model.inUse, at);
    connection?.release(0);
    if (connection) expect(model.isOpen(connection)).toBe(false);
  },
  "a call is aborted": (model, at) => {
    const connection = model.pick(model.inUse, at);
    connection?.abort();
    if (connection) expect(model.isOpen(connection)).toBe(false);
  },
  "the server closes an idle connection": (model, at) => model.pick(model.idle, at)?.closed(undefined),
  "the server closes a connection in use": (model, at) => model.pick(model.inUse, at)?.closed(undefined),
  "bytes arrive on an idle connection": (model, at) => {
    const connection = model.pick(model.idle, at);
    connection?.received(Buffer.from("HTTP/1.1 200 OK\r\n\r\n"));
    if (connection) expect(model.isOpen(connection)).toBe(false);
  },
};

test("hands out the newest idle connection, to one user at a time, and never a closed one", () => {
  const steps = fc.array(fc.tuple(fc.constantFrom(...Object.keys(STEPS)), fc.nat(1000)), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (history) => {
      const model = new PoolModel();
      for (const [name, at] of history) STEPS[name]!(model, at);
      while (model.idle.length > 0) model.take();
      model.take();
      expect(new Set(model.inUse).size).toBe(model.inUse.length);
      for (const connection of model.inUse) connection.abort();
    }),
    runs(300),
  );
});

test("keeps at most 64 idle connections", () => {
  const model = new PoolModel();
  for (let count = 0; count < 300; count++) model.open();
  for (const connection of model.inUse) connection.release(60_000);
  expect(model.inUse.filter((connection) => model.isOpen(connection)).length).toBe(64);
  for (const connection of model.inUse) connection.close();
  expect(model.pool.take()).toBeUndefined();
});

test("does not use a connection beyond the Keep-Alive timeout of its server", async () => {
  const model = new PoolModel();
  model.open();
  const [connection] = model.inUse;
  connection!.release(1);
  await Bun.sleep(5);
  expect(model.pool.take()).toBeUndefined();
  expect(model.isOpen(connection!)).toBe(false);
});

test("has separate pools for two origins at the same address and port, with TLS or without", () => {
  const model = new PoolModel();
  model.open();
  model.inUse[0]!.release(60_000);
  const { pool, origin } = model;
  expect(ConnectionPool.at(pool.address, { ...origin })).toBe(pool);
  const others = [
    { ...origin, hostname: "other.test" },
    { ...origin, hostname: pool.address },
    { ...origin, isEncrypted: true },
    { ...origin, isEncrypted: true, hostname: "other.test" },
  ];
  for (const other of others) expect(ConnectionPool.at(pool.address, other).take()).toBeUndefined();
  model.inUse[0]!.close();
});

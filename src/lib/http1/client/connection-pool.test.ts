import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../../test/support/long.ts";
import { Connection } from "./connection.ts";
import { ConnectionPool } from "./connection-pool.ts";

/** A socket that only remembers whether it is open. */
class FakeSocket {
  isOpen = true;
  write = (data: string): number => (this.isOpen ? data.length : -1);
  end = (): void => void (this.isOpen = false);
  terminate = (): void => void (this.isOpen = false);
  ref = (): void => undefined;
  unref = (): void => undefined;
}

const NO_USER = { received: () => undefined, closed: () => undefined };

/** One place with its connections, and what must be true of them: those that are idle, the newest last, and those in use. */
class World {
  static #ports = 1;
  readonly origin = { isEncrypted: false, hostname: "name.test", port: World.#ports++ };
  readonly place = ConnectionPool.at("192.0.2.1", this.origin);
  readonly sockets = new Map<Connection, FakeSocket>();
  readonly inUse: Connection[] = [];
  readonly idle: Connection[] = [];

  open(): void {
    const socket = new FakeSocket();
    const connection = new Connection(this.place, socket as unknown as Bun.Socket<unknown>);
    connection.send("GET", undefined, NO_USER);
    this.sockets.set(connection, socket);
    this.inUse.push(connection);
  }

  take(): void {
    const connection = this.place.take();
    expect(connection).toBe(this.idle.pop());
    if (!connection) return;
    expect(connection.send("GET", undefined, NO_USER)).toBe(true);
    this.inUse.push(connection);
  }

  /** Takes the one at this place out of a list. */
  pick(list: Connection[], at: number): Connection | undefined {
    return list.splice(at % Math.max(1, list.length), 1)[0];
  }

  isOpen(connection: Connection): boolean {
    return this.sockets.get(connection)!.isOpen;
  }
}

const STEPS: Record<string, (world: World, at: number) => void> = {
  open: (world) => world.open(),
  take: (world) => world.take(),
  "a reply is whole": (world, at) => {
    const connection = world.pick(world.inUse, at);
    connection?.release(60_000);
    if (connection) world.idle.push(connection);
  },
  "a reply is whole, and the server wants to close": (world, at) => {
    const connection = world.pick(world.inUse, at);
    connection?.release(0);
    if (connection) expect(world.isOpen(connection)).toBe(false);
  },
  "a call is broken off": (world, at) => {
    const connection = world.pick(world.inUse, at);
    connection?.abort();
    if (connection) expect(world.isOpen(connection)).toBe(false);
  },
  "the server closes an idle one": (world, at) => world.pick(world.idle, at)?.closed(undefined),
  "the server closes one in use": (world, at) => world.pick(world.inUse, at)?.closed(undefined),
  "bytes come on an idle one": (world, at) => {
    const connection = world.pick(world.idle, at);
    connection?.received(Buffer.from("HTTP/1.1 200 OK\r\n\r\n"));
    if (connection) expect(world.isOpen(connection)).toBe(false);
  },
};

test("hands out the newest idle connection, to one user at a time, and never a closed one", () => {
  const steps = fc.array(fc.tuple(fc.constantFrom(...Object.keys(STEPS)), fc.nat(1000)), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (history) => {
      const world = new World();
      for (const [name, at] of history) STEPS[name]!(world, at);
      while (world.idle.length > 0) world.take();
      world.take();
      expect(new Set(world.inUse).size).toBe(world.inUse.length);
      for (const connection of world.inUse) connection.abort();
    }),
    runs(300),
  );
});

test("keeps at most 64 idle connections", () => {
  const world = new World();
  for (let count = 0; count < 300; count++) world.open();
  for (const connection of world.inUse) connection.release(60_000);
  expect(world.inUse.filter((connection) => world.isOpen(connection)).length).toBe(64);
  for (const connection of world.inUse) connection.close();
  expect(world.place.take()).toBeUndefined();
});

test("does not use a connection beyond the Keep-Alive timeout of its server", async () => {
  const world = new World();
  world.open();
  const [connection] = world.inUse;
  connection!.release(1);
  await Bun.sleep(5);
  expect(world.place.take()).toBeUndefined();
  expect(world.isOpen(connection!)).toBe(false);
});

test("has separate pools for two origins at the same address and port, with TLS or without", () => {
  const world = new World();
  world.open();
  world.inUse[0]!.release(60_000);
  const { place, origin } = world;
  expect(ConnectionPool.at(place.address, { ...origin })).toBe(place);
  const others = [
    { ...origin, hostname: "other.test" },
    { ...origin, hostname: place.address },
    { ...origin, isEncrypted: true },
    { ...origin, isEncrypted: true, hostname: "other.test" },
  ];
  for (const other of others) expect(ConnectionPool.at(place.address, other).take()).toBeUndefined();
  world.inUse[0]!.close();
});

import { expect, test } from "bun:test";
import type { ConnectedProcess, IpcPeer, OwnerService, ProcessService } from "../../src/lib/ipc/ipc-service.ts";
import { LinkedServices } from "./linked-services.ts";

/** Records the events on the owner's side, and on the process's side. */
function recorder(): {
  readonly seen: string[];
  readonly owner: OwnerService;
  readonly toService: (id: string) => (peer: IpcPeer) => Side;
} {
  const seen: string[] = [];
  const owner: OwnerService = {
    name: "s",
    calls: { double: (_, body) => (body as number) * 2 },
    notices: { note: ({ id }, body) => void seen.push(`${id} notes ${body as string}`) },
    connected: (process: ConnectedProcess, statement) => {
      process.notify("s.hello", process.id);
      seen.push(`connected ${process.id} ${JSON.stringify(statement)}`);
      return `told ${process.id}`;
    },
    disconnected: (id) => void seen.push(`disconnected ${id}`),
    ended: (id) => void seen.push(`ended ${id}`),
  };
  return { seen, owner, toService: (id) => (peer) => new Side(id, peer, seen) };
}

class Side implements ProcessService {
  readonly name = "s";
  readonly notices = { hello: (body: unknown): void => void this.#seen.push(`hello ${body as string}`) };
  readonly peer: IpcPeer;
  readonly #id: string;
  readonly #seen: string[];

  constructor(id: string, peer: IpcPeer, seen: string[]) {
    this.#id = id;
    this.peer = peer;
    this.#seen = seen;
  }

  statement = (): unknown => ({ of: this.#id });
  connected = (told: unknown): void => void this.#seen.push(told as string);
  disconnected = (): void => void this.#seen.push(`${this.#id} lost`);
}

test("connects with a statement, tells before anything else, and passes messages in order", async () => {
  const { seen, owner, toService } = recorder();
  const link = new LinkedServices(owner);
  const side = await link.start("p1", toService("p1"));
  expect(seen).toEqual(['connected p1 {"of":"p1"}', "told p1", "hello p1"]);
  side.peer.notify("s.note", "a");
  expect(await side.peer.call("s.double", 21)).toBe(42);
  expect(seen.at(-1)).toBe("p1 notes a");
  expect((await Promise.allSettled([side.peer.call("s.unknown", 1)]))[0]).toMatchObject({ reason: { name: "RemoteError" } });
});

test("what is on its way when the connection ends is lost, and a new owner receives all statements first", async () => {
  const { seen, owner, toService } = recorder();
  const link = new LinkedServices(owner);
  const side = await link.start("p1", toService("p1"));
  await link.start("p2", toService("p2"));
  seen.length = 0;
  side.peer.notify("s.note", "lost");
  const call = Promise.allSettled([side.peer.call("s.double", 21)]);
  link.disconnect("p1");
  side.peer.notify("s.note", "dropped");
  expect((await call)[0]).toMatchObject({ reason: { name: "ConnectionLost" } });
  await link.idle();
  expect(seen).toEqual(["p1 lost", "disconnected p1"]);
  await link.replaceOwner(owner);
  expect(seen.slice(2)).toEqual([
    "p2 lost",
    'connected p1 {"of":"p1"}',
    'connected p2 {"of":"p2"}',
    "told p1",
    "hello p1",
    "told p2",
    "hello p2",
  ]);
  link.end("p2");
  expect(seen.slice(-2)).toEqual(["disconnected p2", "ended p2"]);
});

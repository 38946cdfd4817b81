import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { issueKey } from "../../access/api-key.ts";
import { ownChange } from "../../access/change.ts";
import { connectIpc, listenIpc, type IpcServer } from "../../lib/ipc/ipc-socket.ts";
import type { IpcConnection } from "../../lib/ipc/ipc-connection.ts";
import type { ProcessService } from "../../lib/ipc/ipc-service.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { NO_CAPS, NO_LIMITS } from "../../money/limits.ts";
import { openTemporaryStores } from "../../../test/support/replicated-stores.ts";
import type { Stores } from "../stores.ts";
import { ReplicaFeed } from "./replica-feed.ts";
import { Replicas } from "./replicas.ts";

const CHANGE = ownChange("key.test", { kind: "key", id: "a" }, null, 1);

let folder: string;
let server: IpcServer;
let stores: Stores;
let feed: ReplicaFeed;
let cleanUp: () => Promise<void>;
let connections: IpcConnection[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-feed-"));
  ({ stores, cleanUp } = await openTemporaryStores());
  feed = new ReplicaFeed(stores, 3);
  connections = [];
  let count = 0;
  server = listenIpc(join(folder, "socket"), (connection) => {
    const id = `p${(count += 1)}`;
    const serve = (): void =>
      feed.connected({
        id,
        call: (method, body, timeoutMs) => connection.call(method, body, timeoutMs),
        notify: (method, body) => connection.notify(method, body),
      });
    return { serve, notice: () => undefined, closed: () => feed.disconnected(id) };
  });
});
afterEach(async () => {
  for (const connection of connections) connection.close();
  server.close();
  await cleanUp();
  rmSync(folder, { recursive: true });
});

async function startProcess(replicas: ProcessService): Promise<void> {
  const connection = await connectIpc(join(folder, "socket"), {
    serve: (method, body) => replicas.calls![method.replace("feed.", "")]!(body),
    notice: (method, body) => replicas.notices![method.replace("feed.", "")]!(body),
    closed: () => replicas.disconnected?.(),
  });
  connections.push(connection);
  await connection.call("connect", null);
}

async function addKey(): Promise<string> {
  const wanted = { name: "k", accountId: "default", models: ["*"], limits: NO_LIMITS, caps: NO_CAPS, expiresAtMs: null };
  const { record } = issueKey(wanted, new Secret("s"), 1);
  await stores.keys.add(record, CHANGE);
  return record.id;
}

test("over a socket, a propagated revocation is in force in every process, also while it receives its snapshot", async () => {
  const ids: string[] = [];
  for (let count = 0; count < 20; count++) ids.push(await addKey());
  const [first, second] = [new Replicas(), new Replicas()];
  await startProcess(first);
  await first.ready;
  await startProcess(second);
  for (const id of ids) {
    await stores.keys.revoke(id, (key) => ({ record: { ...key!, revokedAtMs: 50 }, change: CHANGE }));
    await feed.propagated();
    expect([first, second].map(({ keys }) => keys.find(id)?.revokedAtMs)).toEqual([50, 50]);
  }
  await second.ready;
  for (const id of ids) expect(second.keys.find(id)).toEqual(stores.keys.find(id));
});

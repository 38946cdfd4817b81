import { describe, expect, test } from "bun:test";
import { LinkedServices } from "../../../test/support/linked-services.ts";
import { ConnectionLost } from "../../lib/ipc/ipc-connection.ts";
import type { IpcPeer } from "../../lib/ipc/ipc-service.ts";
import { yieldToEventLoop } from "../ledger/commit/yield-to-event-loop.ts";
import { ClaimService } from "./claim-service.ts";
import { claimStoreContract } from "./claim-store.contract.ts";
import type { ClaimStore } from "./claim-store.ts";
import { MemoryClaimStore } from "./memory-claim-store.ts";
import { SharedClaimStore } from "./shared-claim-store.ts";
import { claim, inFlight } from "../../../test/support/claims.ts";

interface Processes {
  readonly link: LinkedServices;
  /** The owner's local store. */
  readonly local: MemoryClaimStore;
  readonly stores: readonly SharedClaimStore[];
}

async function start(count: number): Promise<Processes> {
  const local = new MemoryClaimStore();
  const link = new LinkedServices(new ClaimService(local));
  const stores: SharedClaimStore[] = [];
  for (let at = 1; at <= count; at++) stores.push(await link.start(`p${at}`, (owner) => new SharedClaimStore(owner)));
  return { link, local, stores };
}

/** The calls alternate between two processes. */
claimStoreContract("SharedClaimStore of two processes", async () => {
  const { link, stores } = await start(2);
  let calls = 0;
  const store: ClaimStore = {
    claim: (...request) => stores[calls++ % 2]!.claim(...request),
    find: (scope) => stores[calls++ % 2]!.find(scope),
  };
  return { store, cleanUp: () => link.idle() };
});

/** Whether a request under the scope is free, in flight, or rejected with a 503. */
async function outcome(store: ClaimStore, scope: string): Promise<unknown> {
  try {
    const claimed = await store.claim(scope, "a digest", "a request");
    if (!("release" in claimed)) return claimed.requestId;
    await claimed.release();
    return "free";
  } catch (error) {
    const { code, retryAfterSeconds } = error as { code?: string; retryAfterSeconds?: number };
    return [code, retryAfterSeconds];
  }
}

const AWAY = ["overloaded", 1];

test("the owner's own requests have claims in the same store", async () => {
  const { local, stores } = await start(1);
  const own = await claim(local, "s", "own");
  const { requestId, released } = await inFlight(stores[0]!, "s");
  expect(requestId).toBe("own");
  await own.release();
  await released;
  const ofProcess = await claim(stores[0]!, "s", "r1");
  expect((await inFlight(local, "s")).requestId).toBe("r1");
  await ofProcess.release();
  expect(await local.find("s")).toBeUndefined();
});

test("a request that ends while another process asks for its claim wakes it", async () => {
  const { stores } = await start(2);
  for (let at = 0; at < 50; at++) {
    const first = await claim(stores[0]!, "s", `r${at}`);
    const [claimed] = await Promise.all([stores[1]!.claim("s", "d", "waiting"), first.release()]);
    if ("release" in claimed) await claimed.release();
    else await claimed.released;
  }
});

describe("a process that is not connected", () => {
  test("keeps its claims, which answer 503, until it is connected again", async () => {
    const { link, stores } = await start(2);
    const first = await claim(stores[0]!, "s", "r1");
    link.disconnect("p1");
    expect([await outcome(stores[1]!, "s"), await outcome(stores[1]!, "another")]).toEqual([AWAY, "free"]);
    expect(await stores[1]!.find("s")).toMatchObject({ requestId: "r1" });
    await link.reconnect("p1");
    expect(await outcome(stores[1]!, "s")).toBe("r1");
    await first.release();
    expect(await outcome(stores[1]!, "s")).toBe("free");
  });

  test("has released what it does not state", async () => {
    const { link, stores } = await start(2);
    const claims = [await claim(stores[0]!, "a", "r1"), await claim(stores[0]!, "b", "r2"), await claim(stores[0]!, "c", "r3")];
    const { released } = await inFlight(stores[1]!, "a");
    link.disconnect("p1");
    await claims[0]!.release();
    const reconnecting = link.reconnect("p1");
    // After the statement of its process, and before the process is connected.
    await claims[1]!.release();
    await reconnecting;
    await released;
    await link.idle();
    expect(await Promise.all(["a", "b", "c"].map((scope) => outcome(stores[1]!, scope)))).toEqual(["free", "free", "r3"]);
  });

  test("has no claim that was granted in a lost reply", async () => {
    const { link, local, stores } = await start(2);
    const claiming = outcome(stores[0]!, "s");
    while (!(await local.find("s"))) await yieldToEventLoop();
    link.disconnect("p1");
    expect(await claiming).toEqual(AWAY);
    expect(await outcome(stores[1]!, "s")).toEqual(AWAY);
    await link.reconnect("p1");
    await link.idle();
    expect(await outcome(stores[1]!, "s")).toBe("free");
  });

  test("has no claims once it has ended, and wakes those who wait", async () => {
    const { link, stores } = await start(2);
    await claim(stores[0]!, "s", "r1");
    const { released } = await inFlight(stores[1]!, "s");
    link.disconnect("p1");
    link.end("p1");
    await released;
    expect(await outcome(stores[1]!, "s")).toBe("free");
  });
});

describe("an owner that is away", () => {
  test("causes a 503, for new requests and for those that ask it", async () => {
    const { link, stores } = await start(1);
    const asking = outcome(stores[0]!, "s");
    link.loseOwner();
    expect([await asking, await outcome(stores[0]!, "s")]).toEqual([AWAY, AWAY]);
    expect((await Promise.allSettled([stores[0]!.find("s")]))[0]).toMatchObject({ reason: { code: "overloaded" } });
  });

  test("receives a release of what it may grant after it has not answered in time", async () => {
    const notices: unknown[] = [];
    const slow: IpcPeer = {
      call: () => Promise.reject(new ConnectionLost("not answered in time")),
      notify: (...notice) => notices.push(notice),
    };
    const store = new SharedClaimStore(slow);
    store.connected();
    expect(await outcome(store, "s")).toEqual(AWAY);
    expect(notices).toEqual([["claims.release", ["s", "a request"]]]);
  });

  test("does not wake requests that wait, until another one is connected, which knows the claims in flight", async () => {
    const { link, stores } = await start(2);
    const first = await claim(stores[0]!, "s", "r1");
    let isAwake = false;
    const waking = (await inFlight(stores[1]!, "s")).released.then(() => (isAwake = true));
    link.loseOwner();
    await yieldToEventLoop();
    expect(isAwake).toBe(false);
    const local = new MemoryClaimStore();
    await link.replaceOwner(new ClaimService(local));
    await waking;
    expect(await local.find("s")).toMatchObject({ requestId: "r1", digest: "digest of r1" });
    const { requestId, released } = await inFlight(stores[1]!, "s");
    expect(requestId).toBe("r1");
    await first.release();
    await released;
    expect(await outcome(stores[1]!, "s")).toBe("free");
  });

  test("learns of the releases meanwhile", async () => {
    const { link, stores } = await start(2);
    const [first, second] = [await claim(stores[0]!, "a", "r1"), await claim(stores[0]!, "b", "r2")];
    link.loseOwner();
    await first.release();
    const replacing = link.replaceOwner(new ClaimService(new MemoryClaimStore()));
    await second.release();
    await replacing;
    await link.idle();
    expect([await outcome(stores[1]!, "a"), await outcome(stores[1]!, "b")]).toEqual(["free", "free"]);
  });
});

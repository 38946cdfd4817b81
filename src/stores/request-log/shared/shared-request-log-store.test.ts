import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { endedRequest } from "../../../../test/request-log/ended-requests.ts";
import { LogInFolder } from "../../../../test/request-log/log-in-folder.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { LinkedServices } from "../../../../test/support/linked-services.ts";
import { CapturedBodies } from "../../../requests/captured-bodies.ts";
import type { EndedRequest } from "../../../requests/request-notes.ts";
import { MAX_WAITING_BYTES } from "../bodies/body-writer.ts";
import type { BodiesToRedact } from "../bodies/redaction-hook.ts";
import { requestLogStoreContract, type RequestLogFixture } from "../request-log-store.contract.ts";
import type { RequestLogStore } from "../request-log-store.ts";
import { requestStatisticsContract } from "../request-statistics.contract.ts";
import { scanningContract } from "../scanning.contract.ts";
import { MAX_QUEUED } from "../request-queue.ts";
import { RequestForwarder } from "./request-forwarder.ts";
import { SharedRequestLogStore } from "./shared-request-log-store.ts";

const redactSecrets = (text: string): string => text.replaceAll("secret", "…");

function startProcess(links: LinkedServices, id: string): Promise<RequestForwarder> {
  return links.start(id, (owner) => new RequestForwarder({ owner, isOn: true, redactSecrets }));
}

/** A store in which one process notes requests and the owner reads them. */
async function link(log: LogInFolder): Promise<{ store: RequestLogStore; forwarder: RequestForwarder }> {
  const shared = new SharedRequestLogStore(log.store);
  const forwarder = await startProcess(new LinkedServices(shared), "1");
  const store: RequestLogStore = {
    note: (ended) => forwarder.note(ended),
    noteMirror: (result) => forwarder.noteMirror(result),
    mirrorsOf: (requestIds) => shared.mirrorsOf(requestIds),
    mirrorResults: (model, fromMs, limit) => shared.mirrorResults(model, fromMs, limit),
    list: (filter, from, direction, limit) => shared.list(filter, from, direction, limit),
    listSorted: (filter, order, after, limit) => shared.listSorted(filter, order, after, limit),
    count: (filter) => shared.count(filter),
    find: (requestId) => shared.find(requestId),
    hasBodies: (requestId) => shared.hasBodies(requestId),
    bodiesOf: (requestId) => shared.bodiesOf(requestId),
    erase: (erased) => shared.erase(erased),
    statistics: (query) => shared.statistics(query),
    state() {
      const [here, there] = [shared.state(), forwarder.state()];
      return { ...here, queued: here.queued + there.queued, dropped: here.dropped + there.dropped, drops: there.drops };
    },
  };
  return { store, forwarder };
}

async function open(nowMs: () => number): Promise<RequestLogFixture> {
  const log = new LogInFolder({ nowMs });
  let { store, forwarder } = await link(log);
  return {
    store,
    async reopen() {
      await forwarder.close();
      await log.reopen();
      ({ store, forwarder } = await link(log));
      return store;
    },
    async cleanUp() {
      await forwarder.close();
      await log.remove();
    },
  };
}

requestLogStoreContract("SharedRequestLogStore", open);
requestStatisticsContract("SharedRequestLogStore", open);
scanningContract("SharedRequestLogStore", open);

const pending = (forwarder: RequestForwarder): number => forwarder.state().queued;

describe("requests of gateway processes", () => {
  let log: LogInFolder;
  let shared: SharedRequestLogStore;
  let links: LinkedServices;
  let one: RequestForwarder;
  beforeEach(async () => {
    log = new LogInFolder();
    shared = new SharedRequestLogStore(log.store);
    links = new LinkedServices(shared);
    one = await startProcess(links, "1");
  });
  afterEach(() => log.remove());

  function noteMany(forwarder: RequestForwarder, count: number): string[] {
    return Array.from({ length: count }, () => {
      const ended = endedRequest({ endedAtMs: log.nowMs });
      forwarder.note(ended);
      return ended.requestId;
    });
  }

  const ids = async (): Promise<string[]> => (await shared.list({}, undefined, "newer", 100_000)).map(({ request }) => request.requestId);

  test("are written without being asked for, from all processes, and each once", async () => {
    const other = await startProcess(links, "2");
    const noted = [...noteMany(one, 250), ...noteMany(other, 30)];
    await eventually(
      () => log.store.state().written,
      (written) => written === 280,
    );
    expect((await ids()).toSorted()).toEqual(noted.toSorted());
    expect([pending(one), pending(other)]).toEqual([0, 0]);
  });

  test("are built in background slices, and sent when a batch is full", async () => {
    const noted = noteMany(one, 205);
    one.runSlice(150);
    expect(one.waiting).toBe(50);
    one.runSlice(150);
    expect(one.waiting).toBe(0);
    await eventually(
      () => log.store.state().queued + log.store.state().written,
      (received) => received >= 200,
      { everyMs: 1 },
    );
    expect(await ids()).toEqual(noted);
  });

  test("wait while the owner is away, in a bounded queue, and drops are counted", async () => {
    links.loseOwner();
    const noted = noteMany(one, MAX_QUEUED + 7);
    expect(one.waiting).toBe(0);
    expect(one.state()).toMatchObject({ queued: MAX_QUEUED, dropped: 7, drops: { queue_full: 7 } });
    await links.replaceOwner((shared = new SharedRequestLogStore(log.store)));
    await eventually(
      () => pending(one),
      (queued) => queued === 0,
    );
    expect(await ids()).toEqual(noted.slice(0, MAX_QUEUED));
  });

  test("count as dropped when the owner is lost before it replies", async () => {
    noteMany(one, 3);
    one.note(withBodies("a", "b"));
    one.runSlice(200);
    noteMany(one, 196);
    one.runSlice(200);
    links.loseOwner();
    await eventually(
      () => pending(one),
      (queued) => queued === 0,
    );
    expect(one.state()).toMatchObject({ drops: { queue_full: 200 }, bodyDrops: { no_memory: 1 } });
    await links.replaceOwner(shared);
    const later = noteMany(one, 2);
    expect((await ids()).slice(-2)).toEqual(later);
  });

  test("a reader does not wait for a process that hangs", async () => {
    const noted = noteMany(one, 1);
    await ids();
    shared.connected({ id: "9", call: (_, _body, timeoutMs) => Bun.sleep(timeoutMs!), notify: () => undefined });
    expect(await ids()).toEqual(noted);
  });
});

function withBodies(request: string, reply: string): EndedRequest {
  const bodies = new CapturedBodies(request);
  bodies.capture(reply);
  return endedRequest({ notes: { bodies } });
}

describe("bodies of gateway processes", () => {
  test("secrets are hidden in the process, and the operator's hook runs once, at the owner", async () => {
    const seen: BodiesToRedact[] = [];
    const hidden: string[] = [];
    const log = new LogInFolder({
      redactSecrets: (text) => {
        hidden.push(text);
        return text;
      },
      redact: (bodies) => {
        seen.push(bodies);
        return Promise.resolve({ request: `${bodies.request}, redacted`, reply: bodies.reply });
      },
    });
    const { store } = await link(log);
    const ended = withBodies("my secret", "your secret");
    store.note(ended);
    expect(await store.bodiesOf(ended.requestId)).toEqual({ request: "my …, redacted", reply: "your …", isCut: false });
    expect(seen).toEqual([{ request: "my …", reply: "your …", account: "acme", model: "fast-chat" }]);
    // Only the hook's output is checked.
    expect(hidden).toEqual(["my …, redacted", "your …"]);
    await log.remove();
  });

  test("their memory is bounded while the owner is away, and free again when it has received them", async () => {
    const log = new LogInFolder();
    const shared = new SharedRequestLogStore(log.store);
    const links = new LinkedServices(shared);
    const forwarder = await startProcess(links, "1");
    links.loseOwner();
    const large = "x".repeat(64 * 1024);
    const room = Math.floor(MAX_WAITING_BYTES / withBodies(large, large).notes.bodies!.heldBytes);
    const noted = Array.from({ length: room + 2 }, () => withBodies(large, large));
    for (const ended of noted) forwarder.note(ended);
    expect(forwarder.state().bodyDrops.no_memory).toBe(2);
    await links.replaceOwner(shared);
    // Otherwise closing would wait for up to two seconds.
    await forwarder.calls.collect();
    expect(await log.store.bodiesOf(noted[room - 1]!.requestId)).toMatchObject({ request: large, reply: large });
    expect(await log.store.bodiesOf(noted[room]!.requestId)).toBeUndefined();
    forwarder.note(withBodies(large, large));
    expect([forwarder.state().bodyDrops.no_memory, log.store.state().bodyDrops.no_memory]).toEqual([2, 0]);
    await forwarder.close();
    await log.remove();
  });

  test("are sent again where the owner is lost before it replies", async () => {
    const log = new LogInFolder();
    const shared = new SharedRequestLogStore(log.store);
    const links = new LinkedServices(shared);
    const forwarder = await startProcess(links, "1");
    const ended = withBodies("a", "b");
    forwarder.note(ended);
    await shared.find(ended.requestId);
    forwarder.note(withBodies("c", "d"));
    const addBodies = shared.calls.addBodies.bind(shared.calls);
    let isLost = false;
    Object.assign(shared.calls, {
      addBodies(...given: Parameters<typeof addBodies>) {
        if (isLost) return addBodies(...given);
        isLost = true;
        links.loseOwner();
      },
    });
    await eventually(
      () => isLost,
      (is) => is,
    );
    await links.replaceOwner(shared);
    const [, last] = await shared.list({}, undefined, "newer", 10);
    expect(await shared.bodiesOf(last!.request.requestId)).toMatchObject({ request: "c", reply: "d" });
    await log.remove();
  });
});

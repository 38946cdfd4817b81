import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { stepsOf } from "../../bench/load/mock/stream-steps.ts";
import { HAS_PROC } from "../streams/process-facts.ts";
import { startFaultyRelay } from "./faulty-relay.ts";
import { runLoad, startMock, targetAt, type RunningMock } from "./run-load.ts";

let mock: RunningMock;
beforeAll(async () => (mock = await startMock()));
afterAll(() => mock.stop());

/** The target is the mock itself: a gateway that adds nothing. */
const common = (): object => ({ pid: mock.pid, mock: mock.url });

describe.skipIf(!HAS_PROC)("idle-streams.ts", () => {
  const hold = { streams: 50, perSecond: 500, holdSeconds: 0.2 };

  test("holds streams open, measures the memory of the target meanwhile, and sees all of them end", async () => {
    const latency = { direct: mock.target("json"), target: mock.target("json"), pairs: 10, warmup: 1 };
    const { exit, result } = await runLoad("idle-streams", { target: mock.target("idle-15000"), ...hold, ...common(), latency });
    expect(exit).toBe(0);
    expect(result).toMatchObject({ ok: true, streams: 50, whole: 50, lostWhileHeld: 0 });
    expect(result["latency"]).toMatchObject({ ok: true, pairs: 10 });
    const rssKb = result["rssKb"] as Record<"before" | "held" | "after", number>;
    expect(Math.min(rssKb.before, rssKb.held, rssKb.after)).toBeGreaterThan(0);
    const fds = result["fds"] as Record<"before" | "held" | "after", number>;
    expect(fds.held).toBeGreaterThanOrEqual(fds.before + 50);
    expect(fds.after).toBeLessThan(fds.held);
  });

  test("counts streams that were lost while they were held", async () => {
    const first = stepsOf("idle-15000", true)![0]!.bytes;
    const server = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data: (socket) => {
          socket.write(first);
          socket.end();
        },
      },
    });
    const target = targetAt(`http://127.0.0.1:${server.port}`, "idle-15000");
    const { result } = await runLoad("idle-streams", { target, ...hold, streams: 3, ...common() });
    server.stop(true);
    expect(result).toMatchObject({ ok: false, whole: 0, lostWhileHeld: 3, errors: { "the connection was closed": 3 } });
  });

  test("detects another status", async () => {
    const relay = startFaultyRelay(mock.url, () => ({ status: 503, body: "" }), "burst-1");
    const { result } = await runLoad("idle-streams", { target: targetAt(relay.url, "idle-15000"), ...hold, streams: 3, ...common() });
    await relay.stop();
    expect(result).toMatchObject({ ok: false, whole: 0, errors: { "status 503": 3 } });
  });
});

describe.skipIf(!HAS_PROC)("slow-readers.ts", () => {
  test("reads slowly, and measures the memory of the target", async () => {
    const { result } = await runLoad("slow-readers", { target: mock.target("big-5mib"), readers: 5, seconds: 0.5, ...common() });
    expect(result).toMatchObject({ ok: true, readers: 5 });
    expect((result["rssKb"] as { max: number }).max).toBeGreaterThan(1024);
    const bytes = result["bytes"] as number;
    expect(bytes).toBeGreaterThan(5 * 1024);
    expect(bytes).toBeLessThan(5 * 2 * 1024 * 1024);
  });

  test("detects a changed byte and another status", async () => {
    const readers = { readers: 2, seconds: 0.5, pid: mock.pid };
    const changed = startFaultyRelay(mock.url, (body) => body.replace("w000001xx", "w000001xy"));
    const wrong = await runLoad("slow-readers", { target: targetAt(changed.url, "big-1mib"), ...readers });
    await changed.stop();
    expect(wrong.result).toMatchObject({ ok: false, errors: { "a text that is wrong or out of place": 2 } });
    const refusing = startFaultyRelay(mock.url, (body) => ({ status: 502, body }));
    const refused = await runLoad("slow-readers", { target: targetAt(refusing.url, "big-1mib"), ...readers });
    await refusing.stop();
    expect(refused.result).toMatchObject({ ok: false, errors: { "status 502": 2 } });
  });
});

describe.skipIf(!HAS_PROC)("disconnects.ts", () => {
  test("reports how soon the mock saw each disconnect", async () => {
    const { result } = await runLoad("disconnects", { target: mock.target("sse-2000-5"), disconnects: 50, ...common() });
    expect(result).toMatchObject({ ok: true, disconnects: 50, seen: 50, seenMs: { count: 50 } });
  });

  test("detects a gateway that reads on, so that the mock sees no disconnect", async () => {
    const relay = startFaultyRelay(mock.url, (body) => body);
    const { result } = await runLoad("disconnects", { target: targetAt(relay.url, "sse-10-1"), disconnects: 3, ...common() });
    await relay.stop();
    expect(result).toMatchObject({ ok: false, seen: 0, errors: { "not seen by the mock": 3 } });
  }, 300_000);
});

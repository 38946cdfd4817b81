import { describe, expect, test } from "bun:test";
import { GatewayError } from "../vocabulary/gateway-error.ts";
import type { StreamEnd } from "../vocabulary/request-notes.ts";
import { eventStream, type EventSource } from "./sse.ts";

interface Watched {
  readonly stream: ReadableStream<Uint8Array>;
  readonly ends: StreamEnd[];
}

function watch(source: EventSource, options: { keepAliveMs?: number; startSilent?: boolean } = {}): Watched {
  const ends: StreamEnd[] = [];
  const stream = eventStream({
    source,
    keepAliveMs: options.keepAliveMs ?? 10_000,
    startSilent: options.startSilent ?? false,
    toError: () => new GatewayError("upstream_error", "It broke."),
    onEnd: (end) => void ends.push(end),
  });
  return { stream, ends };
}

/** A source of these batches; an Error among them is thrown. */
function batches(...list: readonly (readonly string[] | Error)[]): EventSource & { cancelled: boolean; reads: number } {
  let at = 0;
  return {
    cancelled: false,
    reads: 0,
    async read() {
      this.reads++;
      const batch = list[at++];
      if (batch instanceof Error) throw batch;
      return batch;
    },
    cancel() {
      this.cancelled = true;
    },
  };
}

describe("eventStream", () => {
  test("frames every event and ends with [DONE], exactly", async () => {
    const { stream, ends } = watch(batches(["a", "b"], ["c"]));
    expect(await new Response(stream).text()).toBe("data: a\n\ndata: b\n\ndata: c\n\ndata: [DONE]\n\n");
    expect(ends).toEqual(["complete"]);
  });

  test("ends a broken source with an error frame and no [DONE]", async () => {
    const { stream, ends } = watch(batches(["a"], new Error("secret")));
    const text = await new Response(stream).text();
    expect(text).toBe('data: a\n\ndata: {"error":{"message":"It broke.","type":"server_error","param":null,"code":"upstream_error"}}\n\n');
    expect(ends).toEqual(["failed"]);
  });

  test("a reader that leaves cancels the source, and that is the one end", async () => {
    const source = batches(["a"], ["b"], ["c"]);
    const { stream, ends } = watch(source);
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
    expect([source.cancelled, ends]).toEqual([true, ["caller_gone"]]);
  });

  test("the source is read only as the stream is: a stalled reader holds one batch", async () => {
    const source = batches(...Array.from({ length: 1000 }, () => ["x"]));
    const { stream } = watch(source);
    const reader = stream.getReader();
    await reader.read();
    await Bun.sleep(20);
    expect(source.reads).toBeLessThanOrEqual(3);
    await reader.cancel();
  });

  test("a reader that takes nothing for long is given up", async () => {
    const source = batches(...Array.from({ length: 10 }, () => ["x"]));
    const { stream, ends } = watch(source, { keepAliveMs: 5 });
    const reader = stream.getReader();
    while (ends.length === 0) await Bun.sleep(5);
    expect([source.cancelled, ends]).toEqual([true, ["caller_gone"]]);
    expect(reader.read()).rejects.toThrow("The caller closed the connection.");
  });

  test("nobody sees the end before what onEnd does is done", async () => {
    let isSettled = false;
    const stream = eventStream({
      source: batches(["a"]),
      keepAliveMs: 10_000,
      startSilent: false,
      toError: () => new GatewayError("internal_error", ""),
      onEnd: async () => {
        await Bun.sleep(20);
        isSettled = true;
      },
    });
    for await (const bytes of stream) {
      if (new TextDecoder().decode(bytes).includes("[DONE]")) expect(isSettled).toBe(true);
    }
    expect(isSettled).toBe(true);
  });

  test("silence is filled with comments, again and again, until the source speaks", async () => {
    const { promise, resolve } = Promise.withResolvers<readonly string[]>();
    let reads = 0;
    const source: EventSource = { read: () => (reads++ === 0 ? promise : Promise.resolve(undefined)), cancel: () => undefined };
    const reader = watch(source, { keepAliveMs: 10 }).stream.getReader();
    const next = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value);
    expect([await next(), await next()]).toEqual([": keep-alive\n\n", ": keep-alive\n\n"]);
    resolve(["a"]);
    let text = await next();
    while (text === ": keep-alive\n\n") text = await next();
    expect(text).toBe("data: a\n\n");
    await reader.cancel();
  });

  test("a stream that begins after a silence says so first", async () => {
    const { stream } = watch(batches(["a"]), { startSilent: true });
    expect(await new Response(stream).text()).toStartWith(": keep-alive\n\ndata: a\n\n");
  });
});

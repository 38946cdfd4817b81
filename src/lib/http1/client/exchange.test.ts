import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../../test/support/long.ts";
import { next } from "../../async/source.ts";
import { ClientExchange, type ExchangeConnection } from "./exchange.ts";
import type { ResponseHead } from "./response-head.ts";
import { ConnectionError } from "./connection-error.ts";

/** The result of a reply, independent of the pieces in which it arrived. */
interface Read {
  readonly status: number | undefined;
  readonly body: string;
  readonly end: "whole" | "failed" | "waiting";
  readonly connection: "kept" | "closed" | "aborted" | "in use";
}

/** A fake connection that only records how it ends. */
class FakeConnection implements ExchangeConnection {
  fate: Read["connection"] = "in use";
  isPaused = false;
  send = (): boolean => true;
  pause = (): void => void (this.isPaused = true);
  resume = (): void => void (this.isPaused = false);
  abort = (): void => void (this.fate = "aborted");
  release = (keptForMs: number): void => void (this.fate = keptForMs > 0 ? "kept" : "closed");
}

const WATCH = { progressed: () => undefined, stop: () => undefined, explain: (error: unknown) => error as Error };

/** Reads a reply that arrives in these pieces, followed by the end of the connection if the case says so. */
async function read(pieces: readonly Buffer[], isClosed: boolean): Promise<Read> {
  const connection = new FakeConnection();
  const exchange = new ClientExchange(connection, WATCH);
  let head: ResponseHead | undefined;
  let end: Read["end"] = "waiting";
  const failed = (error: unknown): void => {
    expect(error).toBeInstanceOf(ConnectionError);
    end = "failed";
  };
  exchange.send("").then((came) => (head = came), failed);
  // Bun delivers each read in separate memory.
  for (const piece of pieces) if (connection.fate === "in use") exchange.received(Buffer.from(piece));
  if (isClosed && connection.fate === "in use") exchange.closed(undefined);
  await Promise.resolve();
  const chunks: Uint8Array[] = [];
  const readAll = async (): Promise<void> => {
    for (let chunk = await next(exchange); chunk; chunk = await next(exchange)) chunks.push(chunk);
    end = "whole";
  };
  if (head) await Promise.race([readAll().catch(failed), Bun.sleep(0)]);
  return { status: head?.status, body: Buffer.concat(chunks).toString("latin1"), end, connection: connection.fate };
}

const reply = (head: string, body: string): Buffer => Buffer.from(`${head}\r\n\r\n${body}`, "latin1");
const OK = "HTTP/1.1 200 OK\r\ncontent-type: a/b";

/** Replies, the expected result of each, and what happens to its connection. */
const REPLIES: readonly [name: string, bytes: Buffer, expected: Omit<Read, "status">, isClosed?: boolean][] = [
  ["a length", reply(`${OK}\r\ncontent-length: 5`, "Hello"), { body: "Hello", end: "whole", connection: "kept" }],
  [
    "the same length twice",
    reply(`${OK}\r\nContent-Length: 5\r\ncontent-length:5`, "Hello"),
    { body: "Hello", end: "whole", connection: "kept" },
  ],
  ["a length of nothing", reply(`${OK}\r\ncontent-length: 0`, ""), { body: "", end: "whole", connection: "kept" }],
  [
    "parts",
    reply(`${OK}\r\nTransfer-Encoding: Chunked`, "3\r\nHel\r\n02\r\nlo\r\n0\r\n\r\n"),
    { body: "Hello", end: "whole", connection: "kept" },
  ],
  [
    "parts with extensions and trailers",
    reply(`${OK}\r\ntransfer-encoding: chunked`, '5 ;a="b"\r\nHello\r\n0;c\r\nx-a: 1\r\nx-b: 2\r\n\r\n'),
    { body: "Hello", end: "whole", connection: "kept" },
  ],
  [
    "parts beside a length",
    reply(`${OK}\r\ncontent-length: 2\r\ntransfer-encoding: chunked`, "5\r\nHello\r\n0\r\n\r\n"),
    { body: "Hello", end: "whole", connection: "closed" },
  ],
  ["no length", reply(OK, "Hello"), { body: "Hello", end: "whole", connection: "closed" }, true],
  ["no length, and no end", reply(OK, "Hello"), { body: "Hello", end: "waiting", connection: "in use" }],
  [
    "a length that is not reached",
    reply(`${OK}\r\ncontent-length: 9`, "Hello"),
    { body: "Hello", end: "failed", connection: "in use" },
    true,
  ],
  [
    "its last part missing",
    reply(`${OK}\r\ntransfer-encoding: chunked`, "5\r\nHello\r\n"),
    { body: "Hello", end: "failed", connection: "in use" },
    true,
  ],
  ["a status without a body", reply("HTTP/1.1 204 No\r\ncontent-length: 5", ""), { body: "", end: "whole", connection: "kept" }],
  [
    "provisional replies before it",
    reply("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nlink: a\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2", "{}"),
    { body: "{}", end: "whole", connection: "kept" },
  ],
  [
    "the wish to close",
    reply(`${OK}\r\ncontent-length: 2\r\nConnection: x, Close`, "{}"),
    { body: "{}", end: "whole", connection: "closed" },
  ],
  ["an old version", reply("HTTP/1.0 200 OK\r\ncontent-length: 2", "{}"), { body: "{}", end: "whole", connection: "closed" }],
  [
    "an old version that is kept",
    reply("HTTP/1.0 200 OK\r\ncontent-length: 2\r\nconnection: Keep-Alive", "{}"),
    { body: "{}", end: "whole", connection: "kept" },
  ],
];

for (const [name, bytes, expected, isClosed = false] of REPLIES) {
  test(`a reply with ${name} is read the same however it is split into packets`, async () => {
    const status = bytes.includes("204 No") ? 204 : 200;
    expect(await read([bytes], isClosed)).toEqual({ status, ...expected });
    for (let at = 0; at <= bytes.length; at++) {
      expect(await read([bytes.subarray(0, at), bytes.subarray(at)], isClosed)).toEqual({ status, ...expected });
    }
    expect(
      await read(
        [...bytes].map((byte) => Buffer.of(byte)),
        isClosed,
      ),
    ).toEqual({ status, ...expected });
  });
}

test("decodes any body, in any chunks and packets", async () => {
  const bodies = fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 8 });
  const cuts = fc.array(fc.nat(3000), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(bodies, cuts, fc.boolean(), async (parts, places, isChunked) => {
      const body = Buffer.concat(parts);
      const head = isChunked ? "transfer-encoding: chunked" : `content-length: ${body.length}`;
      const framed = parts.map((part) => Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n")]));
      const sent = Buffer.concat([reply(`${OK}\r\n${head}`, ""), ...(isChunked ? [...framed, Buffer.from("0\r\n\r\n")] : [body])]);
      const came = await read(cutAt(sent, places), false);
      expect(came).toEqual({ status: 200, body: body.toString("latin1"), end: "whole", connection: "kept" });
    }),
    runs(200),
  );
});

function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const edges = [0, ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return edges.slice(1).map((edge, at) => bytes.subarray(edges[at], edge));
}

test("a truncated response is never complete, wherever the connection ends", async () => {
  const whole = REPLIES.filter(([, , { connection }]) => connection === "kept" || connection === "closed");
  for (const [name, bytes, , isClosed = false] of whole) {
    if (isClosed) continue;
    for (let at = 0; at < bytes.length; at++) {
      const { end } = await read([bytes.subarray(0, at)], true);
      expect({ name, at, end }).toEqual({ name, at, end: "failed" });
    }
  }
});

test("a response with changed, added or removed bytes neither hangs nor crashes, and its connection is reused only where it has an end of its own", async () => {
  const change = fc.record({ at: fc.nat(400), kind: fc.constantFrom("change", "insert", "remove"), byte: fc.nat(255) });
  await fc.assert(
    fc.asyncProperty(fc.nat(REPLIES.length - 1), fc.array(change, { minLength: 1, maxLength: 4 }), async (which, changes) => {
      const [, original] = REPLIES[which]!;
      const bytes = [...original];
      for (const { at, kind, byte } of changes) {
        if (kind === "change") bytes[at % bytes.length] = byte;
        else bytes.splice(at % bytes.length, kind === "remove" ? 1 : 0, ...(kind === "insert" ? [byte] : []));
      }
      const sent = Buffer.from(bytes);
      const came = await read([sent], true);
      expect(came.end).not.toBe("waiting");
      // A reply is read in the same way, however it is split (no response splitting).
      const inBytes = await read(
        bytes.map((byte) => Buffer.of(byte)),
        true,
      );
      expect([inBytes.end, inBytes.status]).toEqual([came.end, came.status]);
      if (came.end === "whole") expect(inBytes.body).toBe(came.body);
    }),
    runs(1000),
  );
});

test.each([
  ["bytes behind its end", `${OK}\r\ncontent-length: 2`, "{}HTTP/1.1 200 OK\r\n\r\n"],
  ["bytes behind its last part", `${OK}\r\ntransfer-encoding: chunked`, "0\r\n\r\nx"],
  ["a body behind a status that has none", "HTTP/1.1 204 No", "{}"],
])("a connection with %s is used for nothing else", async (_, head, body) => {
  expect(await read([reply(head, body)], false)).toMatchObject({ end: "whole", connection: "aborted" });
});

test.each([
  ["two lengths", "content-length: 5\r\ncontent-length: 6", "Hello"],
  ["two lengths in one line", "content-length: 5, 6", "Hello"],
  ["a length with a sign", "content-length: +5", "Hello"],
  ["an unknown coding", "transfer-encoding: gzip, chunked", "0\r\n\r\n"],
  ["parts twice", "transfer-encoding: chunked\r\ntransfer-encoding: chunked", "0\r\n\r\n"],
  ["a folded line", "a: b\r\n c: d", ""],
  ["a space before a colon", "content-length : 5", "Hello"],
  ["a NUL", "a: b\0c", ""],
  ["a bare CR", "a: b\rc", ""],
  ["a bare LF", "a: b\nc: d", ""],
  ["257 headers", "a: b\r\n".repeat(257).trimEnd(), ""],
  ["more than 64 KB", `a: ${"b".repeat(70_000)}`, ""],
  ["a part that is longer than it says", "transfer-encoding: chunked", "4\r\nHello\r\n0\r\n\r\n"],
])("a reply with %s is rejected, and its connection is closed", async (_, headers, body) => {
  const came = await read([reply(`${OK}\r\n${headers}`, body)], false);
  expect(came).toMatchObject({ end: "failed", connection: "aborted" });
});

test.each([
  ["an alert of TLS", Buffer.from([0x15, 3, 3, 0, 2, 2, 40])],
  ["a frame of HTTP/2", Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])],
  ["the banner of SSH", Buffer.from("SSH-2.0-OpenSSH_9.9\r\n")],
  ["the greeting of a mail server", Buffer.from("220 mail ESMTP\r\n")],
  ["JSON without a head", Buffer.from('{"error":"not found"}')],
  ["an empty line", Buffer.from("\r\n")],
  ["another version", Buffer.from("HTTP/2 200\r\n")],
  ["a status of letters", Buffer.from("HTTP/1.1 OK\r\n")],
  ["a status of four digits", Buffer.from("HTTP/1.1 2000 OK\r\n")],
  ["a status line that ends without CR", Buffer.from("HTTP/1.1 200 OK\ncontent-length: 2\n\n{}")],
  ["a header that ends without CR", Buffer.from(`${OK}\nx-a: b`)],
  ["another protocol behind a provisional reply", Buffer.from("HTTP/1.1 100 Continue\r\n\r\n{}")],
])("%s fails as soon as it has arrived, also on a connection that stays open", async (_, bytes) => {
  const failed = { status: undefined, body: "", end: "failed", connection: "aborted" } as const;
  expect(await read([bytes], false)).toEqual(failed);
  const inBytes = [...bytes].map((byte) => Buffer.of(byte));
  expect(await read(inBytes, false)).toEqual(failed);
});

test("pauses the connection while the body is unread, and resumes it when it is read", async () => {
  const connection = new FakeConnection();
  const exchange = new ClientExchange(connection, WATCH);
  void exchange.send("");
  exchange.received(reply(`${OK}\r\ntransfer-encoding: chunked`, "1\r\na\r\n"));
  expect(connection.isPaused).toBe(false);
  exchange.received(Buffer.from("1\r\nb\r\n"));
  expect(connection.isPaused).toBe(true);
  expect(await next(exchange)).toEqual(Buffer.from("a"));
  expect(connection.isPaused).toBe(true);
  expect(await next(exchange)).toEqual(Buffer.from("b"));
  expect(connection.isPaused).toBe(false);
});

import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../../test/support/long.ts";
import { ScriptedSocket } from "../../../../test/support/http/scripted-socket.ts";
import { Reply, type StreamBody, type ReplyBody } from "./reply.ts";
import { WriteBuffer } from "../../net/write-buffer.ts";
import { CLOSE_LINE, writeReply, type ReplyOptions } from "./write-reply.ts";

const OPTIONS: ReplyOptions = { date: "now", connection: "", isChunked: true, isHeadOnly: false };

function written(reply: Reply, options: Partial<ReplyOptions> = {}): string {
  const socket = new ScriptedSocket();
  writeReply(reply, { ...OPTIONS, ...options }, new WriteBuffer(socket.as()));
  return socket.sent;
}

class UnwrittenBody implements StreamBody {
  isCancelled = false;

  writeTo(): void {
    throw new Error("must not be written");
  }

  cancel(): void {
    this.isCancelled = true;
  }
}

describe("a reply on the wire", () => {
  const cases: [name: string, body: ReplyBody, status: number, options: Partial<ReplyOptions>, expected: string][] = [
    ["a text", "hi", 200, {}, "HTTP/1.1 200 OK\r\ndate: now\r\na: b\r\ncontent-length: 2\r\n\r\nhi"],
    [
      "a text of many bytes",
      "\u00e9\u{1f600}",
      200,
      {},
      "HTTP/1.1 200 OK\r\ndate: now\r\na: b\r\ncontent-length: 6\r\n\r\n\xc3\xa9\xf0\x9f\x98\x80",
    ],
    ["bytes", Buffer.from([0xff, 0]), 200, {}, "HTTP/1.1 200 OK\r\ndate: now\r\na: b\r\ncontent-length: 2\r\n\r\n\xff\0"],
    ["nothing", null, 404, {}, "HTTP/1.1 404 Not Found\r\ndate: now\r\na: b\r\ncontent-length: 0\r\n\r\n"],
    ["no words for its status", "x", 499, {}, "HTTP/1.1 499 \r\ndate: now\r\na: b\r\ncontent-length: 1\r\n\r\nx"],
    [
      "the last one",
      "x",
      200,
      { connection: CLOSE_LINE },
      "HTTP/1.1 200 OK\r\ndate: now\r\na: b\r\nconnection: close\r\ncontent-length: 1\r\n\r\nx",
    ],
    ["to HEAD", "\u00e9", 200, { isHeadOnly: true }, "HTTP/1.1 200 OK\r\ndate: now\r\na: b\r\ncontent-length: 2\r\n\r\n"],
    ["without a body", null, 204, {}, "HTTP/1.1 204 No Content\r\ndate: now\r\na: b\r\n\r\n"],
    ["that may have no body", "HTTP/1.1 200 OK", 204, {}, "HTTP/1.1 204 No Content\r\ndate: now\r\na: b\r\n\r\n"],
    ["not modified", Buffer.from("x"), 304, {}, "HTTP/1.1 304 Not Modified\r\ndate: now\r\na: b\r\n\r\n"],
    ["in parts", new UnwrittenBody(), 200, {}, "HTTP/1.1 200 OK\r\ndate: now\r\na: b\r\ntransfer-encoding: chunked\r\n\r\n"],
    ["to one who knows no parts", new UnwrittenBody(), 200, { isChunked: false }, "HTTP/1.1 200 OK\r\ndate: now\r\na: b\r\n\r\n"],
  ];
  for (const [name, body, status, options, expected] of cases) {
    test(name, () => expect(written(new Reply(body, { status, headers: { a: "b" } }), options)).toBe(expected));
  }

  test("each character of a head is one byte", () => {
    expect(written(new Reply("\u00e9", { headers: { a: "\u00e9" } }))).toContain("\r\na: \xe9\r\ncontent-length: 2\r\n\r\n\xc3\xa9");
  });

  test("each cookie is a header of its own", () => {
    const reply = new Reply(null);
    reply.cookies.push("a=1", "b=2");
    expect(written(reply)).toContain("\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n");
  });

  test("returns a streamed body, and cancels it for HEAD", () => {
    const body = new UnwrittenBody();
    const writeBuffer = new WriteBuffer(new ScriptedSocket().as());
    expect(writeReply(new Reply(body), OPTIONS, writeBuffer)).toBe(body);
    expect(body.isCancelled).toBe(false);
    expect(writeReply(new Reply(body), { ...OPTIONS, isHeadOnly: true }, writeBuffer)).toBeUndefined();
    expect(body.isCancelled).toBe(true);
  });
});

test("a header value cannot inject a header or a reply: it is one line, or nothing is written", () => {
  const unit = fc.oneof(
    fc.constantFrom("\r", "\n", "\0", "\u010d", "\u{ff0d}", ":", " ", "a"),
    fc.string({ unit: "binary", maxLength: 1 }),
  );
  const value = fc.array(unit, { maxLength: 10 }).map((units) => units.join(""));
  fc.assert(
    fc.property(value, fc.boolean(), (text, isCookie) => {
      const socket = new ScriptedSocket();
      const reply = new Reply("body", { headers: isCookie ? {} : { x: text } });
      if (isCookie) reply.cookies.push(text);
      const isFit = /^[\t -~\x80-\xff]*$/.test(text);
      const write = (): unknown => writeReply(reply, OPTIONS, new WriteBuffer(socket.as()));
      if (isFit) write();
      else expect(write).toThrow("would have a character that no header may have");
      const line = `${isCookie ? "set-cookie" : "x"}: ${text}`;
      expect(socket.sent).toBe(isFit ? `HTTP/1.1 200 OK\r\ndate: now\r\n${line}\r\ncontent-length: 4\r\n\r\nbody` : "");
    }),
    runs(200),
  );
});

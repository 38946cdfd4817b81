import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../../test/long.ts";
import { ScriptedSocket } from "../../../../test/scripted-socket.ts";
import { WriteBuffer } from "./write-buffer.ts";

const piece = fc.oneof(fc.string({ unit: "grapheme", maxLength: 12 }), fc.uint8Array({ maxLength: 12 }));
const step = fc.record({ piece, room: fc.nat(20), flushes: fc.boolean(), withHead: fc.boolean() });

test("however little the caller takes at a time, it gets everything once, in order", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const socket = new ScriptedSocket();
      const outbox = new WriteBuffer(socket.as());
      let expected = "";
      for (const { piece: next, room, flushes, withHead } of steps) {
        socket.room = room;
        if (typeof next === "string") outbox.sendText(next, Buffer.byteLength(next));
        else if (withHead) outbox.sendWhole("h\u00e9ad", next);
        else outbox.sendBytes(next);
        if (flushes) outbox.flush();
        expected += (typeof next !== "string" && withHead ? "h\u00e9ad" : "") + Buffer.from(next as string).toString("latin1");
        expect(socket.sent.length + outbox.unsentBytes).toBe(expected.length);
        expect(outbox.hasRoom).toBe(outbox.unsentBytes === 0);
      }
      socket.room = Number.POSITIVE_INFINITY;
      outbox.flush();
      expect([socket.sent, outbox.hasRoom]).toEqual([expected, true]);
    }),
    runs(300),
  );
});

test("a head and what is behind it are one write, unless they are long, and what is kept of them is a copy", () => {
  const socket = new ScriptedSocket();
  const outbox = new WriteBuffer(socket.as());
  socket.room = 3;
  outbox.sendWhole("one", Buffer.from("first"));
  expect(socket.sent).toBe("one");
  new WriteBuffer(new ScriptedSocket().as()).sendWhole("two", Buffer.from("second"));
  socket.room = Number.POSITIVE_INFINITY;
  outbox.flush();
  const long = Buffer.alloc(70_000, "x");
  outbox.sendWhole("three", long);
  expect(socket.sent).toBe(`onefirstthree${long.toString()}`);
});

test("whoever waits for room is woken when all is taken, or when the caller has left", async () => {
  const socket = new ScriptedSocket();
  const outbox = new WriteBuffer(socket.as());
  const woken: string[] = [];
  socket.room = 0;
  outbox.sendText("abc", 3);
  void outbox.room().then(() => woken.push("taken"));
  socket.room = 2;
  expect(outbox.flush()).toBe(true);
  await Promise.resolve();
  expect(woken).toEqual([]);
  expect(outbox.flush()).toBe(false);
  socket.room = 1;
  outbox.flush();
  await Promise.resolve();
  expect(woken).toEqual(["taken"]);
  outbox.sendText("abc", 3);
  void outbox.room().then(() => woken.push("left"));
  outbox.close();
  await Promise.resolve();
  expect(woken).toEqual(["taken", "left"]);
});

test("nothing is sent, nor kept, after the caller has left", () => {
  const socket = new ScriptedSocket();
  const outbox = new WriteBuffer(socket.as());
  outbox.close();
  outbox.sendText("abc", 3);
  outbox.sendBytes(Buffer.from("abc"));
  outbox.sendWhole("abc", Buffer.from("abc"));
  expect([socket.sent, outbox.unsentBytes]).toEqual(["", 0]);
});

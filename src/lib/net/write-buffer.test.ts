import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { ScriptedSocket } from "../../../test/support/http/scripted-socket.ts";
import { WriteBuffer } from "./write-buffer.ts";

const piece = fc.oneof(fc.string({ unit: "grapheme", maxLength: 12 }), fc.uint8Array({ maxLength: 12 }));
const step = fc.record({ piece, room: fc.nat(20), flushes: fc.boolean(), withHead: fc.boolean() });

test("writes everything once and in order, however little the socket accepts at a time", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const socket = new ScriptedSocket();
      const writeBuffer = new WriteBuffer(socket.as());
      let expected = "";
      for (const { piece: next, room, flushes, withHead } of steps) {
        socket.room = room;
        if (typeof next === "string") writeBuffer.writeText(next, Buffer.byteLength(next));
        else if (withHead) writeBuffer.writeMessage("h\u00e9ad", next);
        else writeBuffer.writeBytes(next);
        if (flushes) writeBuffer.flush();
        expected += (typeof next !== "string" && withHead ? "h\u00e9ad" : "") + Buffer.from(next as string).toString("latin1");
        expect(socket.sent.length + writeBuffer.unsentBytes).toBe(expected.length);
        expect(writeBuffer.isDrained).toBe(writeBuffer.unsentBytes === 0);
      }
      socket.room = Number.POSITIVE_INFINITY;
      writeBuffer.flush();
      expect([socket.sent, writeBuffer.isDrained]).toEqual([expected, true]);
    }),
    runs(300),
  );
});

test("a head and its body take one write, unless they are long, and buffered bytes are copied", () => {
  const socket = new ScriptedSocket();
  const writeBuffer = new WriteBuffer(socket.as());
  socket.room = 3;
  writeBuffer.writeMessage("one", Buffer.from("first"));
  expect(socket.sent).toBe("one");
  new WriteBuffer(new ScriptedSocket().as()).writeMessage("two", Buffer.from("second"));
  socket.room = Number.POSITIVE_INFINITY;
  writeBuffer.flush();
  const long = Buffer.alloc(70_000, "x");
  writeBuffer.writeMessage("three", long);
  expect(socket.sent).toBe(`onefirstthree${long.toString()}`);
});

test("drained resolves when everything is written, or when the connection is closed", async () => {
  const socket = new ScriptedSocket();
  const writeBuffer = new WriteBuffer(socket.as());
  const woken: string[] = [];
  socket.room = 0;
  writeBuffer.writeText("abc", 3);
  void writeBuffer.drained().then(() => woken.push("taken"));
  socket.room = 2;
  expect(writeBuffer.flush()).toBe(true);
  await Promise.resolve();
  expect(woken).toEqual([]);
  expect(writeBuffer.flush()).toBe(false);
  socket.room = 1;
  writeBuffer.flush();
  await Promise.resolve();
  expect(woken).toEqual(["taken"]);
  writeBuffer.writeText("abc", 3);
  void writeBuffer.drained().then(() => woken.push("left"));
  writeBuffer.close();
  await Promise.resolve();
  expect(woken).toEqual(["taken", "left"]);
});

test("nothing is written or buffered after the connection is closed", () => {
  const socket = new ScriptedSocket();
  const writeBuffer = new WriteBuffer(socket.as());
  writeBuffer.close();
  writeBuffer.writeText("abc", 3);
  writeBuffer.writeBytes(Buffer.from("abc"));
  writeBuffer.writeMessage("abc", Buffer.from("abc"));
  expect([socket.sent, writeBuffer.unsentBytes]).toEqual(["", 0]);
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import * as fc from "fast-check";
import { startAnswering, withoutDate, type AnsweringListener } from "../../../../test/support/http/answering-listener.ts";
import { cutText } from "../../../../test/support/http/cut-text.ts";
import { runs } from "../../../../test/support/long.ts";
import { sendPieces } from "../../../../test/support/http/raw-caller.ts";

let server: AnsweringListener;

beforeAll(() => {
  server = startAnswering();
});
afterAll(() => server.listener.close());

const LAST = "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

/** The bytes of a request, and whether it is the last request that is answered. */
interface SentBytes {
  readonly bytes: string;
  readonly isRefused: boolean;
}

const path = fc.constantFrom("/plain", "/later", "/stream", "/read", "/read/later");
const body = fc.string({ unit: "binary-ascii", maxLength: 60 });
const without = fc
  .tuple(fc.constantFrom("GET", "HEAD", "DELETE"), path)
  .map(([method, at]) => `${method} ${at} HTTP/1.1\r\nHost: x\r\n\r\n`);
const withLength = fc
  .tuple(path, body)
  .map(([at, text]) => `POST ${at} HTTP/1.1\r\nContent-Length: ${text.length}\r\nHost: x\r\n\r\n${text}`);
const inParts = fc
  .tuple(
    path,
    fc.array(
      body.filter((part) => part !== ""),
      { maxLength: 4 },
    ),
  )
  .map(([at, parts]) => {
    const text = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("");
    return `POST ${at} HTTP/1.1\r\nTransfer-Encoding: chunked\r\nHost: x\r\n\r\n${text}0\r\n\r\n`;
  });
const tooLarge = fc.constant(
  `POST /read HTTP/1.1\r\nContent-Length: 1500\r\nHost: x\r\n\r\n${"GET / HTTP/1.1\r\n".repeat(100).slice(0, 1500)}`,
);
const answered = fc.oneof(without, withLength, inParts, tooLarge).map((bytes): SentBytes => ({ bytes, isRefused: false }));
const refused = fc
  .constantFrom(
    "GET / HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n",
    "POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc",
    "POST /read HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
    "GET /plain HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "GET /stream HTTP/1.0\r\n\r\n",
  )
  .map((bytes): SentBytes => ({ bytes, isRefused: true }));
const requests = fc.array(fc.oneof({ weight: 12, arbitrary: answered }, { weight: 1, arbitrary: refused }), { maxLength: 10 });

const alone = new Map<string, Promise<string>>();

/** The reply to such a request when it is sent alone. */
function replyTo({ bytes, isRefused }: SentBytes): Promise<string> {
  const ask = async (): Promise<string> => {
    if (isRefused) return withoutDate(await sendPieces(server.listener.port, [bytes]));
    const lastReply = withoutDate(await sendPieces(server.listener.port, [LAST]));
    const replies = withoutDate(await sendPieces(server.listener.port, [bytes + LAST]));
    expect(replies).toEndWith(lastReply);
    return replies.slice(0, -lastReply.length);
  };
  const known = alone.get(bytes) ?? ask();
  alone.set(bytes, known);
  return known;
}

test("pipelined requests, in any packets, are each served once, in order, as if sent alone", async () => {
  await fc.assert(
    fc.asyncProperty(requests, fc.array(fc.nat(3_000), { maxLength: 12 }), async (list, places) => {
      const all = [...list, { bytes: LAST, isRefused: true }];
      const end = all.findIndex(({ isRefused }) => isRefused);
      const expected = await Promise.all(all.slice(0, end + 1).map(replyTo));
      const replies = await sendPieces(server.listener.port, cutText(all.map(({ bytes }) => bytes).join(""), places));
      expect(withoutDate(replies)).toBe(expected.join(""));
    }),
    runs(80),
  );
  expect(server.failures).toEqual([]);
});

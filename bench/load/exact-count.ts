/**
 * Sends an exact number of requests, and compares every response with the expected one. It warms systems up by count, and shows that the
 * charges match the responses. Load that ends after a time cannot show this, because it leaves requests in flight.
 *
 * `bun bench/load/exact-count.ts '{"target": …, "bodyFile": …, "answerFile": …, "compare": "bytes", "count": 20000, "connections": 16}'`
 * prints `{"right", "wrong", "firstWrong"}`. Responses must have a Content-Length or be chunked; without `answerFile` only the status is
 * checked. With `"compare": "meaning"` other bytes are accepted too, if the text, the finish reason and the token counts are the same.
 */
import { readFileSync } from "node:fs";
import type { Target } from "../systems/system.ts";
import { compareAnswers } from "./same-answer.ts";

export interface ExactCount {
  readonly target: Target;
  readonly bodyFile: string;
  readonly answerFile: string | null;
  readonly compare: "bytes" | "meaning";
  readonly count: number;
  readonly connections: number;
}

export interface CountedAnswers {
  readonly right: number;
  readonly wrong: number;
  readonly firstWrong: string | null;
}

const asked = JSON.parse(process.argv[2]!) as ExactCount;
const answer = asked.answerFile === null ? null : readFileSync(asked.answerFile, "latin1");
const request = requestOf(asked);
let left = asked.count;
let open = asked.connections;
let [right, wrong] = [0, 0];
let firstWrong: string | null = null;
/** The bytes received of each connection's response. */
const heard = new WeakMap<object, string>();
/** The number of request bytes written, for each connection. */
const written = new WeakMap<object, number>();

interface Sender {
  write(bytes: Uint8Array): number;
  end(): void;
}

function next(socket: Sender): void {
  if (left === 0) {
    socket.end();
    return;
  }
  left--;
  heard.set(socket, "");
  written.set(socket, 0);
  writeRest(socket);
}

function writeRest(socket: Sender): void {
  const from = written.get(socket) ?? request.length;
  if (from < request.length) written.set(socket, from + Math.max(0, socket.write(request.subarray(from))));
}

function hear(socket: Sender, text: string): void {
  const all = heard.get(socket)! + text;
  heard.set(socket, all);
  const body = wholeBody(all);
  if (body === null) return;
  if (all.startsWith("HTTP/1.1 200 ") && isExpectedAnswer(body)) right++;
  else miss(all);
  next(socket);
}

function isExpectedAnswer(body: string): boolean {
  if (answer === null || body === answer) return true;
  return asked.compare === "meaning" && compareAnswers(Buffer.from(body, "latin1"), Buffer.from(answer, "latin1")) !== "wrong";
}

/** The body, once it is complete. */
function wholeBody(all: string): string | null {
  const end = all.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const head = all.slice(0, end).toLowerCase();
  const length = /content-length: *(\d+)/.exec(head);
  if (length) return all.length >= end + 4 + Number(length[1]) ? all.slice(end + 4) : null;
  return all.endsWith("\r\n0\r\n\r\n") ? unchunked(all.slice(end + 4)) : null;
}

function unchunked(text: string): string {
  let body = "";
  for (let at = 0; ;) {
    const line = text.indexOf("\r\n", at);
    const size = Number.parseInt(text.slice(at, line), 16);
    if (!(size > 0)) return body;
    body += text.slice(line + 2, line + 2 + size);
    at = line + 2 + size + 2;
  }
}

function miss(what: string): void {
  wrong++;
  firstWrong ??= what.slice(0, 2000);
}

function finishOne(): void {
  if (--open > 0) return;
  const missing = asked.count - right - wrong;
  process.stdout.write(`${JSON.stringify({ right, wrong: wrong + missing, firstWrong } satisfies CountedAnswers)}\n`);
}

function requestOf({ target, bodyFile }: ExactCount): Buffer {
  const body = readFileSync(bodyFile);
  const headers = { host: `${target.host}:${target.port}`, ...target.headers, "content-length": String(body.length) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST ${target.path} HTTP/1.1\r\n${lines.join("")}\r\n`), body]);
}

await Promise.all(
  Array.from({ length: asked.connections }, () =>
    Bun.connect({
      hostname: asked.target.host,
      port: asked.target.port,
      socket: {
        open: (socket) => next(socket),
        data: (socket, bytes) => hear(socket, bytes.toString("latin1")),
        drain: (socket) => writeRest(socket),
        close: () => finishOne(),
        error: (_, error) => miss(String(error)),
      },
    }),
  ),
);

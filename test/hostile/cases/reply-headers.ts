import { answered, both, BUSY, FAILED, openaiCases, type HostileCase } from "../hostile-case.ts";
import { answersWith, replies, JSON_TYPE } from "../on-the-wire.ts";

type Row = [string, Omit<HostileCase, "name" | "dialect">];

/** Upstream headers that must not reach a client. The checks look for "canary" in the whole reply. */
const NOT_OURS = [
  "set-cookie: session=canary; Domain=example.com; Path=/",
  "set-cookie2: canary",
  "connection: x-canary",
  "keep-alive: timeout=canary",
  "proxy-authenticate: Basic realm=canary",
  "proxy-connection: canary",
  "www-authenticate: Basic realm=canary",
  "te: canary",
  "trailer: x-canary",
  "upgrade: canary",
  "x-request-id: canary",
  "x-tollgate-cost: canary",
  "x-tollgate-provenance: canary",
  "x-should-retry: canary",
  "retry-after: canary",
  "access-control-allow-origin: https://canary.example",
  "access-control-allow-credentials: canary",
  "strict-transport-security: max-age=1; canary",
  "content-security-policy: canary",
  "clear-site-data: canary",
  "alt-svc: h3=canary:443",
  "location: https://canary.example",
  "refresh: 0; url=https://canary.example",
  "link: <https://canary.example>; rel=preload",
  "server: canary",
  "via: canary",
  "openai-organization: canary",
  "x-ratelimit-limit-requests: canary",
  "content-disposition: attachment; filename=canary",
  "content-type: text/html; charset=canary",
  "content-language: canary",
  "cache-control: canary",
  "etag: canary",
];

/** Invalid or extreme values of Retry-After. Clients receive 1 to 59 seconds. */
const WAITS = [
  "-1",
  "0",
  "0.0001",
  "1e99",
  "99999999999999999999",
  "Infinity",
  "NaN",
  "0x10",
  "soon",
  "",
  "1, 2",
  "Fri, 31 Dec 9999 23:59:59 GMT",
  "Thu, 01 Jan 1970 00:00:00 GMT",
  "Sat, 32 Foo 2026 99:99:99 XYZ",
  "9".repeat(5000),
];

export const replyHeaderCases = openaiCases(
  Object.fromEntries([
    ...NOT_OURS.map((line): Row => [`an answer with "${line}"`, { play: answersWith(line), ...both(answered()) }]),
    ...NOT_OURS.filter((line) => !line.startsWith("retry-after") && !line.startsWith("content-type")).map((line): Row => [
      `a failure with "${line}"`,
      { play: replies("500 Oh", [line], ""), ...both(FAILED) },
    ]),
    ...WAITS.map((wait): Row => [
      `"retry-after: ${wait.slice(0, 40)}"`,
      { play: replies("429 Slow", [JSON_TYPE, `retry-after: ${wait}`], "{}"), ...both(BUSY) },
    ]),
    ...WAITS.map((wait): Row => [
      `"retry-after-ms: ${wait.slice(0, 40)}"`,
      { play: replies("503 Busy", [JSON_TYPE, `retry-after-ms: ${wait}`], "{}"), ...both(BUSY) },
    ]),
  ]),
);

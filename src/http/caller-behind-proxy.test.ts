import { expect, test } from "bun:test";
import { parseRange } from "../lib/net/ip-address.ts";
import { callerBehindProxy } from "./caller-behind-proxy.ts";

const callerOf = callerBehindProxy(
  ["10.0.0.0/8", "2001:db8::1"].map((text) => parseRange(text)!),
  false,
);

/** The client address that is found for a connection from `peer` with these headers. */
function find(peer: string, ...forwarded: string[]): string | null {
  const headers = new Headers();
  for (const each of forwarded) headers.append("x-forwarded-for", each);
  return callerOf(peer, headers);
}

test("behind a trusted proxy, the client is the proxy's peer", () => {
  expect(find("10.0.0.1", "192.0.2.1")).toBe("192.0.2.1");
  expect(find("::ffff:10.0.0.1", "192.0.2.1")).toBe("192.0.2.1");
  expect(find("2001:db8::1", "2001:db8::2")).toBe("2001:db8::2");
});

test("behind several trusted proxies, the client is the peer of the first", () => {
  expect(find("10.0.0.1", "192.0.2.1, 10.0.0.3,10.0.0.2")).toBe("192.0.2.1");
  expect(find("10.0.0.1", "192.0.2.1", "10.0.0.2")).toBe("192.0.2.1");
});

test("a forged header is ignored from untrusted peers and left of a trusted proxy's address", () => {
  expect(find("192.0.2.1", "198.51.100.1")).toBe("192.0.2.1");
  expect(find("192.0.2.1", "10.0.0.1")).toBe("192.0.2.1");
  expect(find("10.0.0.1", "198.51.100.1, 192.0.2.1")).toBe("192.0.2.1");
  expect(find("10.0.0.1", "198.51.100.1, 192.0.2.1, 10.0.0.2")).toBe("192.0.2.1");
  expect(find("10.0.0.1", "198.51.100.1", "192.0.2.1")).toBe("192.0.2.1");
});

test("without a usable header, the client is the proxy itself", () => {
  for (const forwarded of ["", "unknown", "192.0.2.1, unknown", "192.0.2.1,", "192.0.2.1:80", "10.0.0.2", "10.0.0.3, 10.0.0.2"]) {
    expect([forwarded, find("10.0.0.1", forwarded)]).toEqual([forwarded, "10.0.0.1"]);
  }
  expect(find("10.0.0.1")).toBe("10.0.0.1");
});

test("every client of a unix socket is a trusted proxy, which has no address of its own", () => {
  const onSocket = callerBehindProxy([parseRange("10.0.0.0/8")!], true);
  expect(onSocket(null, new Headers({ "x-forwarded-for": "198.51.100.1, 192.0.2.1, 10.0.0.2" }))).toBe("192.0.2.1");
  expect([onSocket(null, new Headers()), onSocket(null, new Headers({ "x-forwarded-for": "unknown" }))]).toEqual([null, null]);
});

test("a connection that is closed has no address", () => {
  expect(callerOf(null, new Headers({ "x-forwarded-for": "192.0.2.1" }))).toBeNull();
});

import { expect, test } from "bun:test";
import { parseRange } from "../lib/net/ip-address.ts";
import { callerBehindProxy } from "./caller-behind-proxy.ts";

const callerOf = callerBehindProxy(["10.0.0.0/8", "2001:db8::1"].map((text) => parseRange(text)!));

/** Who is found to call, from a connection of `peer` with these headers. */
function find(peer: string, ...forwarded: string[]): string {
  const headers = new Headers();
  for (const each of forwarded) headers.append("x-forwarded-for", each);
  return callerOf(peer, headers);
}

test("behind a proxy of ours, the caller is whom it was called by", () => {
  expect(find("10.0.0.1", "192.0.2.1")).toBe("192.0.2.1");
  expect(find("::ffff:10.0.0.1", "192.0.2.1")).toBe("192.0.2.1");
  expect(find("2001:db8::1", "2001:db8::2")).toBe("2001:db8::2");
});

test("and behind several, whom the first of them was called by", () => {
  expect(find("10.0.0.1", "192.0.2.1, 10.0.0.3,10.0.0.2")).toBe("192.0.2.1");
  expect(find("10.0.0.1", "192.0.2.1", "10.0.0.2")).toBe("192.0.2.1");
});

test("what a caller writes there is not believed: not from elsewhere, and not left of what a proxy has added", () => {
  expect(find("192.0.2.1", "198.51.100.1")).toBe("192.0.2.1");
  expect(find("192.0.2.1", "10.0.0.1")).toBe("192.0.2.1");
  expect(find("10.0.0.1", "198.51.100.1, 192.0.2.1")).toBe("192.0.2.1");
  expect(find("10.0.0.1", "198.51.100.1, 192.0.2.1, 10.0.0.2")).toBe("192.0.2.1");
  expect(find("10.0.0.1", "198.51.100.1", "192.0.2.1")).toBe("192.0.2.1");
});

test("where the header says nothing of use, the caller is the proxy itself", () => {
  for (const forwarded of ["", "unknown", "192.0.2.1, unknown", "192.0.2.1,", "192.0.2.1:80", "10.0.0.2", "10.0.0.3, 10.0.0.2"]) {
    expect([forwarded, find("10.0.0.1", forwarded)]).toEqual([forwarded, "10.0.0.1"]);
  }
  expect(find("10.0.0.1")).toBe("10.0.0.1");
});

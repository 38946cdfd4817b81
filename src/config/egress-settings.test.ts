import { expect, test } from "bun:test";
import { proxyOf } from "../models/egress-proxy.ts";
import { readEgress } from "./egress-settings.ts";

const NAMES = { egressProxy: "OWN", egressProxyTarget: "TARGET" };
const proxyAt = (env: Record<string, string>, url: string): string | undefined => {
  const { hostname, protocol, port } = new URL(url);
  const isEncrypted = protocol === "https:";
  const settings = readEgress(env, NAMES);
  const proxy = settings && proxyOf(settings, { hostname, isEncrypted, port: Number(port || (isEncrypted ? 443 : 80)) });
  return proxy && `${proxy.hostname}:${proxy.port}`;
};

test("reads the proxies of the environment as other programs do", () => {
  const env = { HTTPS_PROXY: "secure:1", https_proxy: "other:2", all_proxy: "http://[::1]:3/" };
  expect(proxyAt(env, "https://a.test")).toBe("secure:1");
  expect(proxyAt(env, "http://a.test")).toBe("::1:3");
  expect(proxyAt({ HTTPS_PROXY: "http://secure" }, "https://a.test")).toBe("secure:80");
  expect(proxyAt({ HTTPS_PROXY: "secure:1" }, "http://a.test")).toBeUndefined();
  expect(proxyAt({ NO_PROXY: "a.test" }, "https://a.test")).toBeUndefined();
});

test("ignores proxies of other kinds in the environment, which are for other programs", () => {
  expect(proxyAt({ ALL_PROXY: "socks5://u:p@all:1", HTTPS_PROXY: "https://secure:2" }, "https://a.test")).toBeUndefined();
  expect(proxyAt({ HTTPS_PROXY: "socks5h://secure:1", https_proxy: "http://other:2" }, "https://a.test")).toBe("other:2");
});

test("prefers the setting to the environment, and calls directly where it is off", () => {
  const env = { HTTPS_PROXY: "socks5://secure:1", ALL_PROXY: "all:2" };
  expect(proxyAt({ ...env, OWN: "http://own:3" }, "https://a.test")).toBe("own:3");
  expect(proxyAt({ ...env, OWN: "http://own:3" }, "http://a.test")).toBe("own:3");
  expect(proxyAt({ ...env, OWN: "off" }, "https://a.test")).toBeUndefined();
});

test("calls this machine and the hosts of NO_PROXY directly", () => {
  const env = { OWN: "http://own:3", NO_PROXY: "a.test .b.test,*.c.test, d.test:8443,10.0.0.0/8" };
  const direct = ["https://a.test", "https://x.A.test", "https://b.test", "https://x.c.test.", "https://d.test:8443"];
  for (const url of [...direct, "http://localhost:1", "http://x.localhost", "http://127.9.9.9", "http://[::1]"]) {
    expect([url, proxyAt(env, url)]).toEqual([url, undefined]);
  }
  for (const url of ["https://nota.test", "https://d.test", "https://127.0.0.1.test"])
    expect([url, proxyAt(env, url)]).toEqual([url, "own:3"]);
  expect(proxyAt({ OWN: "http://own:3", no_proxy: "*" }, "https://a.test")).toBeUndefined();
});

const read = (OWN: string): unknown => readEgress({ OWN }, NAMES)?.encrypted?.authorization?.reveal();

test("reads the credentials of the URL, and shows them in no message", () => {
  expect(read("http://u:p%3Aw@own:3")).toBe(`Basic ${btoa("u:p:w")}`);
  expect(read("http://own:3")).toBeUndefined();
  for (const url of ["https://u:canary@own", "http://u:canary@own/path", "http://u:canary%zz@own"]) {
    expect(() => read(url)).toThrow(/^OWN (must|has)(?!.*canary)/);
  }
});

import { expect, test } from "bun:test";
import { problemOfBaseUrl, problemOfWebhookUrl, refusalOfAddress } from "./base-url.ts";

test("checks public, private and loopback addresses, with and without permission and TLS", () => {
  const refused = ["8.8.8.8", "10.0.0.1", "169.254.169.254"].map((address) =>
    [
      { allowPrivate: false, isEncrypted: true },
      { allowPrivate: true, isEncrypted: true },
      { allowPrivate: true, isEncrypted: false },
      { allowPrivate: false, isEncrypted: false },
    ].map((rule) => refusalOfAddress(address, rule) !== undefined),
  );
  expect(refused).toEqual([
    [false, false, true, true],
    [true, false, false, true],
    [true, true, true, true],
  ]);
});

test("addresses of metadata services are for identities only", () => {
  // Azure App Service on Linux has link-local addresses that change.
  for (const address of ["169.254.169.254", "169.254.129.3", "169.254.131.2", "169.254.255.2"]) {
    expect(refusalOfAddress(address, { allowPrivate: true, isEncrypted: true })).toContain("is never called");
    expect(refusalOfAddress(address, { allowPrivate: true, isEncrypted: false, isForMetadata: true })).toBeUndefined();
  }
  for (const address of ["169.254.1.1", "168.63.129.16", "100.100.100.200"]) {
    expect(refusalOfAddress(address, { allowPrivate: true, isEncrypted: true, isForMetadata: true })).toContain("is never called");
  }
});

test("localhost counts as a loopback address, in every spelling", () => {
  for (const host of [
    "localhost",
    "LOCALHOST",
    "localhost.",
    "localhost..",
    "a.localhost",
    "a.b.localhost.",
    "ⓛocalhost",
    "127.0.0.1.",
    "127.0.0.1..",
  ]) {
    expect([host, problemOfBaseUrl(`https://${host}/v1`, false)]).toEqual([
      host,
      expect.stringContaining("127.0.0.1 is a loopback address"),
    ]);
    expect([host, problemOfBaseUrl(`http://${host}/v1`, true)]).toEqual([host, undefined]);
  }
});

test("accepts DNS names, which are checked after resolution", () => {
  for (const host of ["api.openai.com", "notlocalhost", "localhost.example.com", "10.0.0.1.nip.io"]) {
    expect([host, problemOfBaseUrl(`https://${host}/v1`, false)]).toEqual([host, undefined]);
  }
});

test.each([
  ["openai", "/v1/chat/completions", "must end before /chat/completions"],
  ["openai", "/models", undefined],
  ["openai", "/messages", undefined],
  ["openai", "/v1/responses", undefined],
  ["responses", "/v1/responses/", "must end before /responses"],
  ["responses", "/v1", undefined],
  ["anthropic", "/v1/messages", "must end before /messages"],
  ["anthropic", "/messages/", "must end before /messages"],
  ["anthropic", "/v1", undefined],
  ["gemini", "/v1beta/models", "must end before /models"],
  ["gemini", "/v1beta/models/gemini-2.5-pro:generateContent", "must end before /models"],
  ["gemini", "/v1beta/tuned:streamGenerateContent", "must end before /models"],
  ["gemini", "/v1beta/models-of-ours", undefined],
  ["gemini", "/v1beta/chat/completions", "must end before /chat/completions"],
  ["bedrock", "/model/amazon.nova-lite-v1%3A0/converse", "must end before /model"],
  ["bedrock", "/openai/v1", "must end before /openai"],
  ["bedrock", "/models", undefined],
  ["openai", "/{region}/v1", "must have your own value instead of {region}"],
  ["openai", "/v1}", "must have your own value instead of }"],
] as const)("checks a base URL of %s with the path %s: %s", (dialect, path, expected) => {
  expect(problemOfBaseUrl(`https://api.example${path}`, false, dialect)).toBe(expected);
});

test.each([
  ["https://hooks.example/a/b", false, undefined],
  ["https://10.1.2.3/a", true, undefined],
  ["https://10.1.2.3/a", false, "cannot be used: 10.1.2.3 is a private address, which needs allow_private: true"],
  ["https://169.254.169.254/latest", true, "cannot be used: 169.254.169.254 is a link-local address, and is never called"],
  ["http://127.0.0.1:9000/a", true, undefined],
  ["http://[::1]/a", true, undefined],
  ["http://localhost/a", true, undefined],
  ["http://127.0.0.1/a", false, "must be https://; http:// is only allowed for this machine, with allow_private: true"],
  ["http://10.1.2.3/a", true, "must be https://; http:// is only allowed for this machine, with allow_private: true"],
  ["http://hooks.example/a", true, "must be https://; http:// is only allowed for this machine, with allow_private: true"],
  ["ftp://hooks.example/a", true, "must be an https:// address"],
  ["hooks.example", true, "must be an https:// address"],
  ["https://user:pass@hooks.example/", true, "must be a bare address: no user, no query, no fragment"],
  ["https://hooks.example/?token=1", true, "must be a bare address: no user, no query, no fragment"],
] as const)("a webhook at %s, where private is %p: %s", (url, allowPrivate, expected) => {
  expect(problemOfWebhookUrl(url, allowPrivate)).toBe(expected);
});

import { expect, test } from "bun:test";
import { problemOfBaseUrl, refusalOfAddress } from "./base-url.ts";

test("the three kinds of address, with and without permission and encryption", () => {
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

test("names are not judged before they are resolved", () => {
  for (const host of ["api.openai.com", "notlocalhost", "localhost.example.com", "10.0.0.1.nip.io"]) {
    expect([host, problemOfBaseUrl(`https://${host}/v1`, false)]).toEqual([host, undefined]);
  }
});

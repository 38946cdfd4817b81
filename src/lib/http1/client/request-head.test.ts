import { expect, test } from "bun:test";
import { writeHead } from "./request-head.ts";

test("a request head has its host and headers, without reserved ones", () => {
  const headers = { accept: "a/b", "Content-Length": "5", "transfer-encoding": "chunked", Host: "other", connection: "close" };
  expect(writeHead("POST", "name.test:8080", "/v1/x?y=z", headers)).toBe(
    "POST /v1/x?y=z HTTP/1.1\r\nhost: name.test:8080\r\naccept-encoding: identity\r\naccept: a/b\r\n",
  );
});

test.each([
  ["a line end in a value", "/", { a: "b\r\nc: d" }],
  ["a line feed in a value", "/", { a: "b\nc" }],
  ["a NUL in a value", "/", { a: "b\0" }],
  ["what is not ASCII", "/", { a: "ü" }],
  ["a line end in a name", "/", { "a\r\nb": "c" }],
  ["a colon in a name", "/", { "a:b": "c" }],
  ["a name of nothing", "/", { "": "c" }],
  ["a line end in the path", "/a\r\nb", {}],
  ["a space in the path", "/a HTTP/1.1", {}],
  ["a path that is none", "http://other/", {}],
])("%s is not sent: it would begin another header, or another request", (_, target, headers) => {
  expect(() => writeHead("GET", "name.test", target, headers as Record<string, string>)).toThrow("cannot be sent");
});

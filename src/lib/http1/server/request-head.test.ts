import { describe, expect, test } from "bun:test";
import { BadRequest, RequestHead } from "./request-head.ts";

const HOST = "Host: x\r\n";

function reasonFor(text: string): string {
  try {
    const head = new RequestHead(text);
    return `accepted: ${JSON.stringify(head.framing)}`;
  } catch (error) {
    if (error instanceof BadRequest) return error.message;
    throw error;
  }
}

describe("a request line that two servers could read differently is rejected", () => {
  const lines = [
    "",
    "GET",
    "GET /",
    "GET  / HTTP/1.1",
    "GET / HTTP/1.1 ",
    " GET / HTTP/1.1",
    "GET\t/ HTTP/1.1",
    "GET / / HTTP/1.1",
    "GET /\0 HTTP/1.1",
    "GET /\u00e9 HTTP/1.1",
    "GET / HTTP/1.10",
    "GET / HTTP/1.2",
    "GET / HTTP/2.0",
    "GET / HTTP/0.9",
    "GET / http/1.1",
    "GET / HTTPS/1.1",
    "G:T / HTTP/1.1",
    "G\u00cbT / HTTP/1.1",
    "GET / HTTP/1.1\rX: y",
    "GET / HTTP/1.1\nX: y",
  ];
  for (const line of lines) {
    test(JSON.stringify(line), () => {
      expect(reasonFor(`${line}\r\n${HOST}`)).toBe("its first line is not an HTTP/1.1 request line");
    });
  }
});

describe("a header line is a name, a colon and a value", () => {
  const wrong = [
    "Name : value",
    " Name: value",
    "A: b\r\n folded",
    "A: b\r\n\tfolded",
    "Name",
    ": value",
    "Na me: value",
    "Na\u00efme: value",
    "A: b\0c",
    "A: b\rc",
    "A: b\nC: d",
    "A: b\x7f",
    "A: \x1b[31m",
  ];
  for (const line of wrong) {
    test(`not ${JSON.stringify(line)}`, () => {
      expect(reasonFor(`GET / HTTP/1.1\r\n${HOST}${line}\r\n`)).toBe("one of its header lines is not a name, a colon and a value");
    });
  }

  test("names are in lower case, values are trimmed, and repeated headers form a list", () => {
    const head = new RequestHead(`GET / HTTP/1.1\r\n${HOST}X-Thing: \t a  b \t\r\nx-thing:c:d\r\nEmpty:\r\nOdd: \u00a0\u00e9\u00a0\r\n`);
    expect([head.get("x-thing"), head.get("empty"), head.get("odd"), head.get("none")]).toEqual([
      "a  b, c:d",
      "",
      "\u00a0\u00e9\u00a0",
      null,
    ]);
    expect([head.has("empty"), head.has("none"), head.has("__proto__")]).toEqual([true, false, false]);
  });

  test("thousands of lines are parsed, or rejected for the last of them, without a stack overflow", () => {
    const many = `GET / HTTP/1.1\r\n${HOST}${"a:b\r\n".repeat(50_000)}`;
    expect(new RequestHead(many).headerBytes).toBe(many.length);
    expect(reasonFor(`${many}\x01:\r\n`)).toBe("one of its header lines is not a name, a colon and a value");
  });
});

describe("body framing", () => {
  const cases: [headers: string, found: string][] = [
    ["", "accepted: 0"],
    ["Content-Length: 0", "accepted: 0"],
    ["Content-Length: 007", "accepted: 7"],
    ["content-LENGTH:\t12 ", "accepted: 12"],
    ["Content-Length: 999999999999999", "accepted: 999999999999999"],
    ["Transfer-Encoding: chunked", 'accepted: "chunked"'],
    ["Transfer-Encoding: CHUNKED", 'accepted: "chunked"'],
    ["Content-Length:", "the header content-length is not a number"],
    ["Content-Length: +5", "the header content-length is not a number"],
    ["Content-Length: -5", "the header content-length is not a number"],
    ["Content-Length: 0x5", "the header content-length is not a number"],
    ["Content-Length: 5 5", "the header content-length is not a number"],
    ["Content-Length: 5, 5", "the header content-length is not a number"],
    ["Content-Length: 5.0", "the header content-length is not a number"],
    ["Content-Length: 1000000000000000", "the header content-length is not a number"],
    ["Content-Length: 18446744073709551621", "the header content-length is not a number"],
    ["Content-Length: \u00b2", "the header content-length is not a number"],
    ["Content-Length: 5\r\nContent-Length: 5", "the header content-length is given twice"],
    ["Content-Length: 5\r\nTransfer-Encoding: chunked", "it has both the header content-length and transfer-encoding"],
    ["Transfer-Encoding: chunked\r\nContent-Length: 0", "it has both the header content-length and transfer-encoding"],
    ["Transfer-Encoding: chunked\r\ntransfer-encoding: chunked", "the header transfer-encoding is given twice"],
    ["Transfer-Encoding: xchunked", "the header transfer-encoding must be chunked"],
    ["Transfer-Encoding: identity", "the header transfer-encoding must be chunked"],
    ["Transfer-Encoding: gzip, chunked", "the header transfer-encoding must be chunked"],
    ["Transfer-Encoding: chunked, chunked", "the header transfer-encoding must be chunked"],
    ["Transfer-Encoding: chunked;q=1", "the header transfer-encoding must be chunked"],
    ['Transfer-Encoding: "chunked"', "the header transfer-encoding must be chunked"],
    ["Transfer-Encoding: \u000bchunked", "one of its header lines is not a name, a colon and a value"],
    ["Transfer-Encoding: \u00a0chunked", "the header transfer-encoding must be chunked"],
    ["Transfer-Encoding:", "the header transfer-encoding must be chunked"],
    ["Content_Length: 5", "accepted: 0"],
  ];
  for (const [headers, found] of cases) {
    test(`${JSON.stringify(headers)}: ${found}`, () => {
      expect(reasonFor(`POST / HTTP/1.1\r\n${HOST}${headers}${headers && "\r\n"}`)).toBe(found);
    });
  }

  test("HTTP/1.0 has no chunked bodies", () => {
    expect(reasonFor("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n")).toBe("the header transfer-encoding must be chunked");
    expect(reasonFor("POST / HTTP/1.0\r\nContent-Length: 3\r\n")).toBe("accepted: 3");
  });
});

describe("host and target", () => {
  const cases: [target: string, host: string, found: string][] = [
    ["/a/b?c=d", "x:80", "/a/b?c=d of x:80"],
    ["/a//b/../c;d?e?f", "[::1]:8080", "/a//b/../c;d?e?f of [::1]:8080"],
    ["//x/a", "x", "//x/a of x"],
    ["/", "", "/ of "],
    ["http://y:1/a?b", "x", "/a?b of y:1"],
    ["HTTPS://y", "x", "/ of y"],
    ["http://y?a", "x", "/?a of y"],
    ["http://u@y/", "x", "the header host is not a host"],
    ["http://y\\a/", "x", "the header host is not a host"],
    ["/a", "x/b?", "the header host is not a host"],
    ["/a", "u@x", "the header host is not a host"],
    ["/a", "x y", "the header host is not a host"],
    ["/a", "x#", "the header host is not a host"],
    ["/a", "x\\", "the header host is not a host"],
    ["/a", "\u00e9", "the header host is not a host"],
    ["*", "x", "its target is not a path"],
    ["x:443", "x", "its target is not a path"],
    ["a", "x", "its target is not a path"],
    ["ftp://x/a", "x", "its target is not a path"],
    ["?a", "x", "its target is not a path"],
  ];
  for (const [target, host, found] of cases) {
    test(`${target} with ${JSON.stringify(host)}: ${found}`, () => {
      const text = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n`;
      const reason = reasonFor(text);
      const head = reason.startsWith("accepted") ? new RequestHead(text) : undefined;
      expect(head ? `${head.target} of ${head.get("host")}` : reason).toBe(found);
    });
  }

  test("there is exactly one Host header, which only HTTP/1.0 may omit", () => {
    expect(reasonFor("GET / HTTP/1.1\r\n")).toBe("the header host is missing");
    expect(reasonFor("GET http://x/ HTTP/1.1\r\n")).toBe("the header host is missing");
    expect(reasonFor("GET / HTTP/1.0\r\n")).toBe("accepted: 0");
    expect(reasonFor(`GET / HTTP/1.1\r\n${HOST}${HOST}`)).toBe("the header host is given twice");
  });

  test("OPTIONS * is accepted", () => {
    expect(new RequestHead(`OPTIONS * HTTP/1.1\r\n${HOST}`).target).toBe("*");
  });
});

describe("keep-alive", () => {
  const cases: [lines: string, keepsAlive: boolean, awaitsContinue: boolean][] = [
    ["HTTP/1.1", true, false],
    ["HTTP/1.1\r\nConnection: keep-alive", true, false],
    ["HTTP/1.1\r\nConnection: close", false, false],
    ["HTTP/1.1\r\nConnection: TE , Close", false, false],
    ["HTTP/1.1\r\nConnection: x\r\nConnection: close", false, false],
    ["HTTP/1.1\r\nConnection: closed, not-close", true, false],
    ["HTTP/1.0", false, false],
    ["HTTP/1.0\r\nConnection: keep-alive", false, false],
    ["HTTP/1.1\r\nExpect: 100-Continue", true, false],
    ["HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 1", true, true],
    ["HTTP/1.1\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked", true, true],
    ["HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1", false, false],
  ];
  for (const [lines, keepsAlive, awaitsContinue] of cases) {
    test(JSON.stringify(lines), () => {
      const head = new RequestHead(`POST / ${lines}\r\n${HOST}`);
      expect([head.keepsAlive, head.awaitsContinue]).toEqual([keepsAlive, awaitsContinue]);
    });
  }
});

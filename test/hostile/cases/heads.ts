import { answered, both, FAILED, openaiCases, SANE } from "../hostile-case.ts";
import { answersUnder, answersWith, flood, floods, goodBody, writes, writesAndCloses } from "../on-the-wire.ts";

const LONG_LINES = `x-a: ${"y".repeat(1000)}\r\n`.repeat(60);
const OK = "HTTP/1.1 200 OK\r\n";

/** Lines that are not valid status lines. */
const NO_STATUS_LINES: Record<string, string | Uint8Array> = {
  "an empty line": "\r\n",
  "headers without a status line": "content-length: 2\r\n\r\n{}",
  "a bare body, as HTTP/0.9 had it": "{}",
  "the status 99": "HTTP/1.1 99 Low\r\ncontent-length: 2\r\n\r\n{}",
  "the status 1000": "HTTP/1.1 1000 High\r\ncontent-length: 2\r\n\r\n{}",
  "the status -200": "HTTP/1.1 -200 OK\r\ncontent-length: 2\r\n\r\n{}",
  "the status 200.5": "HTTP/1.1 200.5 OK\r\ncontent-length: 2\r\n\r\n{}",
  "a status of letters": "HTTP/1.1 abc OK\r\ncontent-length: 2\r\n\r\n{}",
  "no status": "HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}",
  "a version that runs into its status": "HTTP/1.1200 OK\r\ncontent-length: 2\r\n\r\n{}",
  "a version in small letters": "http/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}",
  "the version 9.9": "HTTP/9.9 200 OK\r\ncontent-length: 2\r\n\r\n{}",
  "the preface of HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "a frame of HTTP/2": new Uint8Array([0, 0, 0, 4, 0, 0, 0, 0, 0]),
  "a request of its own": "GET / HTTP/1.1\r\nhost: a\r\n\r\n",
  "the greeting of a mail server": "220 mail ESMTP\r\n",
  "the greeting of SSH": "SSH-2.0-OpenSSH_9.9\r\n",
  "an error of a cache": "-ERR unknown command\r\n",
  "an alert of TLS": new Uint8Array([0x15, 3, 3, 0, 2, 2, 40]),
  "a hello of TLS": new Uint8Array([0x16, 3, 3, 0, 74, 2, 0, 0, 70, 3, 3, ...Array.from({ length: 66 }, (_, at) => at)]),
  "NUL bytes": new Uint8Array(4096),
  "one byte": "H",
  "half a status line": "HTTP/1.1 20",
};

/** Incomplete status lines: the gateway waits for the rest while the connection is open. */
const UNFINISHED = new Set(["one byte", "half a status line"]);

/** Invalid header lines in an otherwise valid response. */
const ODD_HEADERS: Record<string, string> = {
  "a header without a colon": "nonsense",
  "a header without a name": ": nonsense",
  "a header name with a space": "x y: z",
  "a header name that is not ASCII": "xé: z",
  "a header with a NUL in it": "x-a: a\0b",
  "a header with a bare CR in it": "x-a: a\rb",
  "a header folded over two lines": "x-a: a\r\n b",
  "a header with control characters": "x-a: \u0001\u0002\u007f",
  "a header that is not UTF-8": "x-a: \u00ff\u00fe",
};

export const headCases = openaiCases({
  "headers without end": { play: floods(OK, LONG_LINES), ...both(FAILED) },
  "a header without end": { play: floods(`${OK}x-a: `, "y".repeat(64_000)), ...both(FAILED) },
  "a header name without end": { play: floods(OK, "y".repeat(64_000)), ...both(FAILED) },
  "a status line without end": { play: floods("HTTP/1.1 200 ", "y".repeat(64_000)), ...both(FAILED) },
  "letters without end": { play: (socket) => flood(socket, "y".repeat(64_000)), ...both(FAILED) },
  "line ends without end": { play: (socket) => flood(socket, "\r\n".repeat(32_000)), ...both(FAILED) },
  "a header of 10 MB": { play: answersWith(`x-a: ${"y".repeat(10_000_000)}`), ...both(FAILED) },
  "100,000 headers": { play: answersWith(...Array.from({ length: 100_000 }, (_, at) => `x-${at}: 1`)), ...both(FAILED) },
  "one header 100,000 times": { play: answersWith(...Array.from({ length: 100_000 }, () => "x-a: 1")), ...both(FAILED) },
  "fifty times 100 before its answer": {
    play: (socket, request) => {
      socket.write("HTTP/1.1 100 Continue\r\n\r\n".repeat(50));
      return answersUnder("HTTP/1.1 200 OK")(socket, request);
    },
    ...both(answered()),
  },
  "early hints before its answer": {
    play: (socket, request) => {
      socket.write("HTTP/1.1 103 Early Hints\r\nlink: </canary>; rel=preload\r\n\r\n");
      return answersUnder("HTTP/1.1 200 OK")(socket, request);
    },
    ...both(answered()),
  },
  "an unsolicited upgrade": {
    play: writes("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n"),
    ...both(FAILED),
  },
  "an answer in HTTP/1.0 that ends with the connection": {
    play: (socket, request) => void socket.end(`HTTP/1.0 200 OK\r\n\r\n${goodBody(request)}`),
    ...both(answered()),
  },
  "a head with LF line ends": {
    play: (socket, request) => void socket.end(`HTTP/1.1 200 OK\ncontent-length: ${goodBody(request).length}\n\n${goodBody(request)}`),
    ...both(SANE),
  },
  ...Object.fromEntries(
    Object.entries(NO_STATUS_LINES).map(([name, bytes]) => [
      `${name} where the status line should be`,
      { play: writesAndCloses(bytes), ...both(FAILED) },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(NO_STATUS_LINES)
      .filter(([name]) => !UNFINISHED.has(name))
      .map(([name, bytes]) => [
        `${name} where the status line should be, on a connection that stays open`,
        { play: writes(bytes), ...both(FAILED) },
      ]),
  ),
  ...Object.fromEntries(Object.entries(ODD_HEADERS).map(([name, line]) => [name, { play: answersWith(line), ...both(SANE) }])),
  "no reason behind its status": { play: answersUnder("HTTP/1.1 200"), ...both(answered()) },
  "a reason of 10,000 letters": { play: answersUnder(`HTTP/1.1 200 ${"y".repeat(10_000)}`), ...both(answered()) },
});

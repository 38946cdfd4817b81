import { beforeEach, expect, test } from "bun:test";
import {
  GET,
  HI,
  LAST_HI,
  never,
  post,
  ScriptedConnection,
  ScriptedHost,
  whenRead,
} from "../../../../test/support/http/scripted-connection.ts";
import { Reply } from "./reply.ts";
import { IDLE_TIMEOUT_SECONDS, REJECTED_UPLOAD_SECONDS } from "./deadlines.ts";

let host: ScriptedHost;
let line: ScriptedConnection;

beforeEach(() => {
  host = new ScriptedHost();
  line = new ScriptedConnection(host);
});

/** Makes the next requests on a connection carry a valid credential. */
function authenticate(): void {
  host.answers = async (request) => {
    request.markAuthenticated("account");
    return new Reply("hi");
  };
}

/** How a connection has ended: with a FIN, with a reset, or not yet. */
function ending({ socket }: ScriptedConnection): string {
  return socket.isShut ? "shut" : socket.outcome;
}

test("closes an idle connection without a reset, before a request and after one", async () => {
  line.pass(IDLE_TIMEOUT_SECONDS);
  expect(ending(line)).toBe("open");
  await line.receive(GET);
  line.pass(IDLE_TIMEOUT_SECONDS);
  expect(ending(line)).toBe("open");
  line.pass(1);
  expect([ending(line), line.socket.outcome]).toEqual(["shut", "open"]);
  line.pass(3);
  expect(line.socket.outcome).toBe("closed");
  const unused = new ScriptedConnection(host);
  unused.pass(IDLE_TIMEOUT_SECONDS + 1);
  expect(ending(unused)).toBe("shut");
});

test("an authenticated connection has the announced idle timeout", async () => {
  authenticate();
  await line.receive(GET);
  expect(line.socket.sent).toBe(HI.replace("content-length", "keep-alive: timeout=75\r\ncontent-length"));
  line.pass(75);
  expect(ending(line)).toBe("open");
  await line.receive(post(3));
  await line.receive("abc");
  line.pass(75);
  expect(ending(line)).toBe("open");
  line.pass(1);
  expect(ending(line)).toBe("shut");
});

test("a connection of a trusted proxy has it before its first request", () => {
  line.connection.standing.trust();
  line.pass(75);
  expect(ending(line)).toBe("open");
  line.pass(1);
  expect(ending(line)).toBe("shut");
});

test("a request head has the short timeout, also on an authenticated connection", async () => {
  authenticate();
  for (const heads of ["GET / HT", `${GET}GET / HT`]) {
    const slow = new ScriptedConnection(host);
    await slow.receive(GET);
    slow.pass(40);
    await slow.receive(heads);
    slow.pass(IDLE_TIMEOUT_SECONDS);
    expect(ending(slow)).toBe("open");
    slow.pass(1);
    expect(ending(slow)).toBe("reset");
  }
});

test("the last reply of a connection announces no keep-alive", async () => {
  authenticate();
  await line.receive(GET.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
  expect(line.socket.sent).toBe(LAST_HI);
});

test("sending a head byte by byte does not extend its timeout", async () => {
  for (let second = 0; second <= IDLE_TIMEOUT_SECONDS; second++) {
    await line.receive("a");
    line.pass(1);
  }
  expect(line.socket.outcome).toBe("reset");
});

test("an upload in progress does not hit the idle timeout", async () => {
  for (const answers of [whenRead, async () => new Reply("no")]) {
    host.answers = (request) => {
      request.markAuthenticated("account");
      return answers(request);
    };
    await line.receive(post(5));
    for (let part = 0; part < 5; part++) {
      line.pass(IDLE_TIMEOUT_SECONDS);
      await line.receive("x");
    }
  }
  expect([line.socket.outcome, line.socket.sent.match(/200 OK/g)]).toEqual(["open", ["200 OK", "200 OK"]]);
  await line.receive(post(5));
  line.pass(IDLE_TIMEOUT_SECONDS + 1);
  expect(line.socket.outcome).toBe("reset");
});

test("a handler sets the idle timeout of its own request only", async () => {
  host.answers = never;
  await line.receive(GET);
  host.requests[0]!.setIdleTimeout(0);
  line.pass(1_000);
  expect(line.socket.outcome).toBe("open");
  host.requests[0]!.setIdleTimeout(3);
  line.pass(4);
  expect(line.socket.outcome).toBe("reset");
});

test("the idle timeout of a request ends with it", async () => {
  host.answers = (request) => {
    request.setIdleTimeout(0);
    return Promise.resolve(new Reply("hi"));
  };
  await line.receive(GET);
  line.pass(IDLE_TIMEOUT_SECONDS + 1);
  expect(ending(line)).toBe("shut");
});

test("a completed request cannot change the timeout of the next", async () => {
  await line.receive(GET);
  host.answers = never;
  await line.receive(GET);
  host.requests[0]!.setIdleTimeout(0);
  line.pass(IDLE_TIMEOUT_SECONDS + 1);
  expect(line.socket.outcome).toBe("reset");
});

test("closes a connection whose client reads nothing, and not the connection of a slow client", async () => {
  line.socket.room = 0;
  await line.receive(GET);
  for (let byte = 0; byte < 5; byte++) {
    line.pass(IDLE_TIMEOUT_SECONDS);
    line.socket.room = 1;
    line.connection.drained();
  }
  expect(line.socket.outcome).toBe("open");
  line.pass(IDLE_TIMEOUT_SECONDS + 1);
  expect(line.socket.outcome).toBe("reset");
});

test("closes a finished connection without a reset: the kernel may still be sending", async () => {
  await line.receive(GET.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
  expect([line.socket.sent, line.socket.isShut, line.socket.outcome]).toEqual([LAST_HI, true, "open"]);
  line.pass(10);
  expect(line.socket.outcome).toBe("closed");
});

test("lingers for a bounded time: each connection takes a file descriptor", async () => {
  await line.receive(post(1000, "Connection: close\r\n"));
  for (let part = 0; part < 35; part++) {
    line.pass(1);
    await line.receive("x");
  }
  expect([line.socket.isShut, line.socket.outcome]).toEqual([true, "closed"]);
});

test("a rejected connection receives the reason with its first request, and is closed where it sends none", async () => {
  const silent = new ScriptedConnection(host);
  for (const each of [line, silent]) each.connection.rejectOverload(new Error("no room"));
  expect(line.socket.sent).toBe("");
  for (const byte of "GET") await line.receive(byte);
  expect([line.socket.isShut, line.socket.sent.match(/refused/g), host.refusals]).toEqual([true, ["refused"], [new Error("no room")]]);
  silent.pass(IDLE_TIMEOUT_SECONDS + 1);
  expect([silent.socket.sent, silent.socket.outcome]).toEqual(["", "reset"]);
});

test("lingers for a short time while a rejected upload goes on", async () => {
  await line.receive(post(100, "Connection: close\r\n"));
  for (let part = 0; part < REJECTED_UPLOAD_SECONDS; part++) {
    line.pass(1);
    await line.receive("x");
  }
  expect([line.socket.isShut, line.socket.outcome]).toEqual([true, "open"]);
  line.pass(1);
  expect([line.socket.outcome, host.closures]).toEqual(["closed", []]);
});

import { beforeEach, expect, test } from "bun:test";
import { GET, HI, LAST_HI, never, post, ScriptedConnection, ScriptedHost, whenRead } from "../../../../test/scripted-connection.ts";
import { Reply } from "./reply.ts";
import { IDLE_TIMEOUT_SECONDS, REJECTED_SECONDS } from "./deadlines.ts";

let host: ScriptedHost;
let line: ScriptedConnection;

beforeEach(() => {
  host = new ScriptedHost();
  line = new ScriptedConnection(host);
});

/** Has the next requests on a connection bring a valid credential. */
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

test("one that is idle is closed without a reset, before a request and after one", async () => {
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

test("after a valid credential it may be idle for as long as is announced", async () => {
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

test("one of a trusted proxy may be idle for as long before its first request", () => {
  line.connection.trust();
  line.pass(75);
  expect(ending(line)).toBe("open");
  line.pass(1);
  expect(ending(line)).toBe("shut");
});

test("a head that has begun has the short time, also after a valid credential", async () => {
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

test("a reply that is the last of its connection announces nothing", async () => {
  authenticate();
  await line.receive(GET.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
  expect(line.socket.sent).toBe(LAST_HI);
});

test("a head that comes byte by byte has no more time than any other", async () => {
  for (let second = 0; second <= IDLE_TIMEOUT_SECONDS; second++) {
    await line.receive("a");
    line.pass(1);
  }
  expect(line.socket.outcome).toBe("reset");
});

test("an upload may take its time as long as it goes on, wanted or not", async () => {
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

test("who answers says how long it may last, and has no say any more once that is over", async () => {
  host.answers = never;
  await line.receive(GET);
  host.requests[0]!.setIdleTimeout(0);
  line.pass(1_000);
  expect(line.socket.outcome).toBe("open");
  host.requests[0]!.setIdleTimeout(3);
  line.pass(4);
  expect(line.socket.outcome).toBe("reset");
});

test("what was allowed for an answer ends with it", async () => {
  host.answers = (request) => {
    request.setIdleTimeout(0);
    return Promise.resolve(new Reply("hi"));
  };
  await line.receive(GET);
  line.pass(IDLE_TIMEOUT_SECONDS + 1);
  expect(ending(line)).toBe("shut");
});

test("one that was answered cannot hold the connection of the next", async () => {
  await line.receive(GET);
  host.answers = never;
  await line.receive(GET);
  host.requests[0]!.setIdleTimeout(0);
  line.pass(IDLE_TIMEOUT_SECONDS + 1);
  expect(line.socket.outcome).toBe("reset");
});

test("a caller that takes nothing of its reply is cut, one that takes it slowly is not", async () => {
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

test("a connection that has ended is closed gently: the system may still be sending", async () => {
  await line.receive(GET.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
  expect([line.socket.sent, line.socket.isShut, line.socket.outcome]).toEqual([LAST_HI, true, "open"]);
  line.pass(10);
  expect(line.socket.outcome).toBe("closed");
});

test("it does not linger for ever: each keeps a file open", async () => {
  await line.receive(post(1000, "Connection: close\r\n"));
  for (let part = 0; part < 35; part++) {
    line.pass(1);
    await line.receive("x");
  }
  expect([line.socket.isShut, line.socket.outcome]).toEqual([true, "closed"]);
});

test("one that is turned away hears why when it asks, once, and is cut where it never does", async () => {
  const silent = new ScriptedConnection(host);
  for (const each of [line, silent]) each.connection.rejectOverload(new Error("no room"));
  expect(line.socket.sent).toBe("");
  for (const byte of "GET") await line.receive(byte);
  expect([line.socket.isShut, line.socket.sent.match(/refused/g), host.refusals]).toEqual([true, ["refused"], [new Error("no room")]]);
  silent.pass(IDLE_TIMEOUT_SECONDS + 1);
  expect([silent.socket.sent, silent.socket.outcome]).toEqual(["", "reset"]);
});

test("it lingers for a short time while an upload goes on that was refused", async () => {
  await line.receive(post(100, "Connection: close\r\n"));
  for (let part = 0; part < REJECTED_SECONDS; part++) {
    line.pass(1);
    await line.receive("x");
  }
  expect([line.socket.isShut, line.socket.outcome]).toEqual([true, "open"]);
  line.pass(1);
  expect([line.socket.outcome, host.closures]).toEqual(["closed", []]);
});

import { beforeEach, describe, expect, test } from "bun:test";
import {
  GET,
  HI,
  LAST_HI,
  never,
  post,
  ScriptedConnection,
  ScriptedHost,
  settled,
  whenRead,
} from "../../../../test/support/http/scripted-connection.ts";
import { CallerGone } from "../../async/caller-gone.ts";
import { Reply, type StreamBody, type BodyWriter } from "./reply.ts";

class HeldBody implements StreamBody {
  writer: BodyWriter | undefined;
  isCancelled = false;

  writeTo(writer: BodyWriter): void {
    this.writer = writer;
  }

  cancel(): void {
    this.isCancelled = true;
  }
}

let host: ScriptedHost;
let line: ScriptedConnection;

beforeEach(() => {
  host = new ScriptedHost();
  line = new ScriptedConnection(host);
});

test("the beginning of a pipelined request does not keep the previous body in memory", async () => {
  const received = Buffer.from(post(400_000) + "x".repeat(400_000) + "G");
  const before = bufferBytes();
  const lines = Array.from({ length: 100 }, () => new ScriptedConnection(host));
  for (const each of lines) each.connection.received(Buffer.from(received));
  await settled();
  host.requests.length = 0;
  expect(lines.every(({ socket }) => socket.sent === HI)).toBe(true);
  expect(bufferBytes() - before).toBeLessThan(20_000_000);
});

function bufferBytes(): number {
  Bun.gc(true);
  return process.memoryUsage().arrayBuffers;
}

describe("back-pressure on a client that sends faster than it is read", () => {
  test("reads the next request when the previous reply is written", async () => {
    line.socket.room = 10;
    await line.receive(GET + GET + GET);
    expect(host.requests.length).toBe(1);
    line.socket.room = HI.length - 10;
    line.connection.drained();
    await settled();
    expect(host.requests.length).toBe(2);
    line.socket.room = Number.POSITIVE_INFINITY;
    line.connection.drained();
    await settled();
    expect([host.requests.length, line.socket.sent]).toEqual([3, HI.repeat(3)]);
  });

  test("reads no head while a request is in flight", async () => {
    line.connection.received(Buffer.from(GET + GET + GET));
    for (let turn = 0; turn < 10 && line.socket.sent === ""; turn++) await Promise.resolve();
    expect(line.socket.sent).toBe(HI);
    host.answers = never;
    await line.receive(GET);
    expect(host.requests.length).toBe(2);
  });

  test("buffers a bounded number of bytes while a request is in flight", async () => {
    const held: PromiseWithResolvers<Reply>[] = [];
    host.answers = () => {
      held.push(Promise.withResolvers());
      return held.at(-1)!.promise;
    };
    await line.receive(GET.repeat(5_000));
    for (let times = 0; times < 3; times++) {
      expect(line.socket.isPaused).toBe(true);
      held.shift()!.resolve(new Reply("hi"));
      await settled();
    }
    expect(host.requests.length).toBe(4);
    host.answers = () => Promise.resolve(new Reply("hi"));
    held.shift()!.resolve(new Reply("hi"));
    while (host.requests.length < 5_000) await settled();
    expect([line.socket.isPaused, line.socket.sent]).toEqual([false, HI.repeat(5_000)]);
  });

  test("receives little of a body before a handler reads it", async () => {
    const { promise: isAllowed, resolve: allow } = Promise.withResolvers<void>();
    host.answers = async (request) => {
      await isAllowed;
      return whenRead(request);
    };
    await line.receive(post(900_000));
    await line.receive(Buffer.alloc(300_000));
    expect(line.socket.isPaused).toBe(true);
    allow();
    await settled();
    expect(line.socket.isPaused).toBe(false);
    await line.receive(Buffer.alloc(600_000));
    expect(line.socket.sent).toEndWith("\r\n\r\n900000");
  });

  test("receives and drops a body that no handler reads", async () => {
    const { promise, resolve } = Promise.withResolvers<Reply>();
    host.answers = () => promise;
    await line.receive(post(900_000));
    await line.receive(Buffer.alloc(300_000));
    expect(line.socket.isPaused).toBe(true);
    resolve(new Reply("hi"));
    await settled();
    expect([line.socket.isPaused, line.socket.sent]).toEqual([false, HI]);
    await line.receive(Buffer.concat([Buffer.alloc(600_000), Buffer.from(GET)]));
    expect(host.requests.length).toBe(2);
  });
});

describe("the end of a connection", () => {
  test("comes at once on an idle connection, else after the reply", async () => {
    line.connection.finish();
    expect([line.socket.isShut, host.hasRested]).toEqual([true, true]);
    line = new ScriptedConnection(host);
    await line.receive("GET / HT");
    line.connection.finish();
    expect([line.socket.isShut, line.connection.isBusy]).toEqual([true, false]);
    line = new ScriptedConnection(host);
    const { promise, resolve } = Promise.withResolvers<Reply>();
    host.answers = () => promise;
    await line.receive(GET);
    line.connection.finish();
    expect([line.socket.isShut, line.connection.isBusy]).toEqual([false, true]);
    resolve(new Reply("hi"));
    await settled();
    expect([line.socket.isShut, line.connection.isBusy, line.socket.sent]).toEqual([true, false, LAST_HI]);
  });

  test("does not wait for the rest of an upload after its reply, but until the reply is written", async () => {
    await line.receive(post(5));
    line.connection.finish();
    expect([line.socket.isShut, line.socket.sent]).toEqual([true, HI]);
    line = new ScriptedConnection(host);
    line.socket.room = 3;
    await line.receive(GET);
    line.connection.finish();
    expect([line.socket.isShut, line.connection.isBusy]).toEqual([false, true]);
    line.socket.room = Number.POSITIVE_INFINITY;
    line.connection.drained();
    expect([line.socket.isShut, line.connection.isBusy, line.socket.sent]).toEqual([true, false, HI]);
  });

  test("follows a body whose end cannot be found", async () => {
    const head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    await line.receive(`${head}zz\r\n${GET}`);
    expect([line.socket.isShut, line.socket.sent]).toEqual([true, LAST_HI]);
    line = new ScriptedConnection(host);
    await line.receive(head);
    await line.receive(`zz\r\n${GET}`);
    expect([line.socket.isShut, line.socket.sent, host.requests.length]).toEqual([true, HI, 2]);
  });

  test("reaches the handler: reading the body fails, the signal is cancelled, and no reply is produced", async () => {
    const body = new HeldBody();
    const reasons: unknown[] = [];
    host.answers = async (request) => {
      const { signal } = request;
      await Promise.resolve(request.bytes(10)).catch((error: unknown) => reasons.push(error, signal.aborted));
      return new Reply(body);
    };
    await line.receive(post(5));
    line.connection.closed();
    await settled();
    expect(reasons).toEqual([new CallerGone(), true]);
    expect([body.isCancelled, body.writer, host.requests[0]!.signal.aborted, line.connection.address]).toEqual([
      true,
      undefined,
      true,
      null,
    ]);
  });

  test("cancels a streamed reply, and drops what is still written", async () => {
    const body = new HeldBody();
    host.answers = () => Promise.resolve(new Reply(body));
    await line.receive(GET);
    body.writer!.write("a");
    const { sent } = line.socket;
    line.connection.closed();
    body.writer!.write("b");
    body.writer!.end();
    expect([body.isCancelled, line.socket.sent]).toEqual([true, sent]);
  });
});

test("a streamed reply ends with the last chunk; an aborted one does not, and no reply follows it", async () => {
  const body = new HeldBody();
  host.answers = () => Promise.resolve(new Reply(body));
  await line.receive(GET + GET);
  expect([body.writer!.write("h\u00e9"), body.writer!.write("")]).toEqual([3, 0]);
  body.writer!.end();
  await settled();
  expect(line.socket.sent).toContain("\r\n\r\n3\r\nh\xc3\xa9\r\n0\r\n\r\nHTTP/1.1 200");
  body.writer!.write("x");
  body.writer!.abort();
  expect([line.socket.sent.endsWith("\r\n1\r\nx\r\n"), line.socket.outcome]).toEqual([true, "reset"]);
});

test("a reply with an invalid header is replaced by an error, and not produced", async () => {
  const body = new HeldBody();
  host.answers = () => Promise.resolve(new Reply(body, { headers: { a: "b\r\nc: d" } }));
  await line.receive(GET + GET);
  expect(line.socket.sent).toBe("HTTP/1.1 400 Bad Request\r\ndate: now\r\ncontent-length: 7\r\n\r\nrefused".repeat(2));
  expect([body.isCancelled, host.refusals.length]).toEqual([true, 2]);
});

test("a handler that fails before its reply ends the connection with an error", async () => {
  host.answers = () => {
    throw new Error("a bug");
  };
  await line.receive(`${post(4)}abcd`);
  expect([line.socket.sent.endsWith("refused"), line.socket.isShut, host.refusals]).toEqual([true, true, [new Error("a bug")]]);
  expect(host.bodies.heldBytes).toBe(0);
});

test("sends 100 Continue when the body is read, and closes the connection otherwise", async () => {
  host.answers = whenRead;
  await line.receive(post(3, "Expect: 100-continue\r\n"));
  expect(line.socket.sent).toBe("HTTP/1.1 100 Continue\r\n\r\n");
  await line.receive("abc");
  expect([line.socket.sent.endsWith("\r\n\r\n3"), line.socket.isShut]).toEqual([true, false]);
  host.answers = () => Promise.resolve(new Reply("hi"));
  const before = line.socket.sent;
  await line.receive(post(3, "Expect: 100-continue\r\n"));
  expect([line.socket.sent, line.socket.isShut]).toEqual([before + LAST_HI, true]);
});

test("closes each connection after its reply while draining", async () => {
  host.isDraining = true;
  await line.receive(GET + GET);
  expect([line.socket.sent, line.socket.isShut]).toEqual([LAST_HI, true]);
});

describe("the memory of a body is released", () => {
  test("with the reply, whatever it is", async () => {
    for (const answers of [whenRead, async () => new Reply("no", { status: 402 })]) {
      host.answers = answers;
      await line.receive(post(4) + "abc");
      await line.receive("d");
      expect([host.bodies.heldBytes, line.socket.sent]).toEqual([0, expect.stringMatching(/(4|no)$/)]);
    }
  });

  test("not while a request is in flight, and after its reply though the client has disconnected", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    host.answers = async (request) => {
      const reply = await whenRead(request);
      await promise;
      return reply;
    };
    await line.receive(`${post(4)}abcd`);
    expect(host.bodies.heldBytes).toBe(4);
    line.connection.closed();
    expect(host.bodies.heldBytes).toBe(4);
    resolve();
    await settled();
    expect(host.bodies.heldBytes).toBe(0);
  });

  test("when the client disconnects in the middle of it", async () => {
    host.answers = (request) => whenRead(request).catch(() => new Reply(null, { status: 499 }));
    await line.receive(`${post(4)}abc`);
    expect(host.bodies.heldBytes).toBe(3);
    line.connection.closed();
    await settled();
    expect(host.bodies.heldBytes).toBe(0);
  });

  test("when the last step that uses it has ended, however it ends", async () => {
    for (const end of ["resolve", "reject"] as const) {
      const inUse = Promise.withResolvers<void>();
      host.answers = (request) => {
        request.keepBodyUntil(inUse.promise);
        return whenRead(request);
      };
      await line.receive(`${post(4)}abcd`);
      expect([host.bodies.heldBytes, line.socket.sent]).toEqual([4, expect.stringMatching(/4$/)]);
      inUse[end]();
      await settled();
      expect(host.bodies.heldBytes).toBe(0);
    }
  });
});

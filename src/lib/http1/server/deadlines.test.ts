import { beforeEach, describe, expect, test } from "bun:test";
import {
  GET,
  never,
  post,
  ScriptedConnection,
  ScriptedHost,
  settled,
  whenRead,
} from "../../../../test/support/http/scripted-connection.ts";
import { UploadTooSlow } from "./incoming-request.ts";
import { Reply } from "./reply.ts";
import { IDLE_TIMEOUT_SECONDS, REJECTED_SECONDS, REJECTED_UPLOAD_SECONDS, UNAUTHENTICATED_SECONDS } from "./deadlines.ts";
import type { ServerRequest } from "./server-request.ts";

let host: ScriptedHost;
let line: ScriptedConnection;

beforeEach(() => {
  host = new ScriptedHost();
  line = new ScriptedConnection(host);
});

const authenticated =
  (answers: ScriptedHost["answers"]) =>
  (request: ServerRequest): Promise<Reply> => {
    request.markAuthenticated("account", "key");
    return answers(request);
  };

const rejecting = (status: number) => (): Promise<Reply> => Promise.resolve(new Reply("no", { status }));

/** Reads without an idle timeout, like the upload of a prompt, and returns the error. */
const readPatiently = async (request: ServerRequest): Promise<Reply> => {
  request.setIdleTimeout(0);
  try {
    return await whenRead(request);
  } catch (error) {
    return new Reply((error as Error).message, { status: error instanceof UploadTooSlow ? 400 : 500 });
  }
};

/** Advances the clock, with a byte in each second. */
async function drip(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    line.pass(1);
    if (line.socket.outcome === "open") await line.receive("x");
  }
}

test("a connection whose credential was revoked is closed after the lifetime of a rejected one, unless it sends a valid one", async () => {
  host.answers = authenticated(whenRead);
  await line.receive(GET);
  line.pass(60);
  line.connection.standing.check(() => false);
  line.pass(5);
  await line.receive(GET);
  line.pass(60);
  expect([line.socket.isShut, host.closures]).toEqual([false, []]);
  await line.receive(GET);
  line.connection.standing.check(() => false);
  line.pass(REJECTED_SECONDS + 1);
  expect([line.socket.isShut, host.closures]).toEqual([true, ["unauthenticated"]]);
});

describe("an upload", () => {
  test("has a total timeout, however often a byte arrives, and the client receives the reason", async () => {
    host.uploadSeconds = 10;
    host.answers = authenticated(readPatiently);
    await line.receive(post(1000));
    await drip(10);
    expect([line.socket.sent, host.bodies.rejected.deadline]).toEqual(["", 0]);
    await drip(1);
    expect(line.socket.sent).toContain("not received within 10 seconds");
    expect(line.socket.sent).toContain("connection: close");
    expect([line.socket.isShut, host.bodies.rejected.deadline, host.bodies.heldBytes]).toEqual([true, 1, 0]);
    await drip(REJECTED_UPLOAD_SECONDS + 1);
    expect(line.socket.outcome).toBe("closed");
  });

  test("that stalls has the same timeout, and the next upload its own", async () => {
    host.uploadSeconds = 10;
    host.answers = authenticated(readPatiently);
    for (let upload = 0; upload < 3; upload++) {
      await line.receive(post(2) + "x");
      line.pass(10);
      await line.receive("x");
    }
    expect(line.socket.sent.match(/200 OK/g)?.length).toBe(3);
    await line.receive(post(2) + "x");
    line.pass(11);
    await settled();
    expect(line.socket.sent).toContain("not received within 10 seconds");
  });

  test("without a valid credential ends with its connection", async () => {
    host.answers = readPatiently;
    await line.receive(post(1000));
    await drip(UNAUTHENTICATED_SECONDS + 1);
    expect(line.socket.sent).toContain(`not received within ${UNAUTHENTICATED_SECONDS} seconds`);
  });

  test("that was rejected unread ends within the same timeout", async () => {
    host.uploadSeconds = 10;
    host.answers = authenticated(rejecting(200));
    await line.receive(post(1000));
    await drip(11);
    expect([line.socket.isShut, host.bodies.rejected.deadline]).toEqual([true, 0]);
  });
});

describe("after a rejection", () => {
  test("a client may finish its upload within a short time, and then send another request", async () => {
    host.answers = authenticated(rejecting(402));
    await line.receive(post(4));
    await drip(4);
    await line.receive(GET);
    expect(line.socket.sent.match(/402/g)?.length).toBe(2);
    line.pass(IDLE_TIMEOUT_SECONDS);
    expect(line.socket.outcome).toBe("open");
  });

  test("a connection that goes on sending is closed, with a valid credential or without", async () => {
    for (const answers of [rejecting(401), authenticated(rejecting(402))]) {
      line = new ScriptedConnection(host);
      host.answers = answers;
      await line.receive(post(1_000_000));
      await drip(REJECTED_UPLOAD_SECONDS);
      expect(line.socket.outcome).toBe("open");
      await drip(1);
      expect(line.socket.outcome).toBe("closed");
    }
    expect(host.closures).toEqual(["rejected_upload", "rejected_upload"]);
  });

  test("a connection without a valid credential is closed, however many requests it sends", async () => {
    host.answers = rejecting(401);
    for (let second = 0; second <= REJECTED_SECONDS; second++) {
      await line.receive(GET);
      line.pass(1);
    }
    expect([line.socket.isShut, host.closures]).toEqual([true, ["unauthenticated"]]);
    await drip(REJECTED_UPLOAD_SECONDS + 1);
    expect(line.socket.outcome).toBe("closed");
  });

  test("a connection that authenticates in time stays open", async () => {
    host.answers = rejecting(401);
    await line.receive(GET);
    host.answers = authenticated(rejecting(200));
    await line.receive(GET);
    line.pass(IDLE_TIMEOUT_SECONDS);
    expect([line.socket.isShut, host.authenticatedConnections]).toEqual([false, [line.connection]]);
  });
});

describe("without a valid credential", () => {
  test("a connection has a maximum lifetime, also where its requests succeed", async () => {
    for (let second = 0; second < UNAUTHENTICATED_SECONDS; second++) {
      await line.receive(GET);
      line.pass(1);
    }
    expect(line.socket.isShut).toBe(false);
    await line.receive(GET);
    line.pass(1);
    expect([line.socket.isShut, host.closures]).toEqual([true, ["unauthenticated"]]);
  });

  test("a request in flight is completed", async () => {
    const { promise, resolve } = Promise.withResolvers<Reply>();
    host.answers = (request) => {
      request.setIdleTimeout(0);
      return promise;
    };
    await line.receive(GET);
    line.pass(UNAUTHENTICATED_SECONDS * 2);
    expect([line.socket.isShut, line.socket.outcome]).toEqual([false, "open"]);
    resolve(new Reply("hi"));
    await settled();
    expect(line.socket.sent).toContain("hi");
    line.pass(1);
    expect(line.socket.isShut).toBe(true);
  });

  test("a trusted connection has the timeouts of an authenticated one", async () => {
    line.connection.standing.trust();
    for (let minute = 0; minute < 10; minute++) {
      await line.receive(GET);
      line.pass(IDLE_TIMEOUT_SECONDS);
    }
    expect([line.socket.outcome, line.socket.isShut]).toEqual(["open", false]);
  });
});

describe("a connection without a valid credential is replaceable", () => {
  test("when it had time to authenticate", async () => {
    line.pass(1);
    await line.receive("GET / HT");
    expect([line.connection.isReplaceable, line.connection.isYoung]).toEqual([false, true]);
    line.pass(1);
    expect([line.connection.isReplaceable, line.connection.isYoung]).toEqual([true, false]);
  });

  test("at once after a rejected request, also in the middle of its upload", async () => {
    host.answers = rejecting(401);
    await line.receive(post(1000));
    expect(line.connection.isReplaceable).toBe(true);
  });

  test("while its upload or its reply stalls, but not while its request is handled", async () => {
    host.answers = readPatiently;
    await line.receive(post(1000));
    const slow = new ScriptedConnection(host);
    slow.socket.room = 10;
    await slow.receive(GET);
    host.answers = never;
    const answering = new ScriptedConnection(host);
    await answering.receive(GET);
    line.pass(2);
    expect([line, slow, answering].map(({ connection }) => connection.isReplaceable)).toEqual([true, true, false]);
  });
});

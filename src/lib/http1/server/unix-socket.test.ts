import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAnswering, type AnsweringListener } from "../../../../test/support/http/answering-listener.ts";
import { isListening, removeStaleSocket } from "../../net/unix-socket.ts";
import { Http1Listener } from "./listener.ts";
import { Reply } from "./reply.ts";
import { UNBOUNDED } from "../../../../test/support/http/unbounded-listener.ts";

let folder: string;
let path: string;
let server: AnsweringListener | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-socket-"));
  path = join(folder, "gateway.sock");
});
afterEach(async () => {
  await server?.listener.close();
  server = undefined;
  rmSync(folder, { recursive: true });
});

function start(mode = 0o660): AnsweringListener {
  server = startAnswering({ socket: { path, mode }, maxConnections: 4 });
  return server;
}

/** Leaves a socket file behind, like a process that was killed. */
async function leaveSocket(): Promise<void> {
  const script = `Bun.listen({ unix: ${JSON.stringify(path)}, socket: { data() {} } }); process.kill(process.pid, "SIGKILL");`;
  await Bun.spawn([process.execPath, "-e", script], { stderr: "ignore" }).exited;
  expect(existsSync(path)).toBe(true);
}

test("a listener on a unix socket serves requests, and removes its file when it ends", async () => {
  for (const mode of [0o660, 0o600, 0o666]) {
    const { listener } = start(mode);
    expect([statSync(path).mode & 0o777, listener.port]).toEqual([mode, 0]);
    expect(await (await fetch("http://localhost/a", { unix: path })).text()).toBe("GET /a");
    await listener.close();
    expect(existsSync(path)).toBe(false);
  }
});

test("its clients are proxies: their connections count as authenticated, and they have no address", async () => {
  const addresses: unknown[] = [];
  const listener = new Http1Listener({
    ...UNBOUNDED,
    socket: { path, mode: 0o600 },
    maxConnections: 4,
    handle: async (request) => {
      addresses.push(request.callerAddress);
      return new Reply("hi");
    },
    refuse: () => new Reply("no"),
    reportFailure: () => undefined,
  });
  await Promise.all(Array.from({ length: 4 }, async () => (await fetch("http://localhost/", { unix: path })).text()));
  expect(addresses).toEqual([null, null, null, null]);
  expect(listener.counts).toMatchObject({ unauthenticated: 0, closed: { address_limit: 0, full: 0 } });
  await listener.close();
});

describe("a file that is there already", () => {
  test("is removed where it is the socket of a process that was killed", async () => {
    await leaveSocket();
    expect(await isListening(path)).toBe(false);
    expect(() => start()).toThrow("another program listens there");
    await removeStaleSocket(path);
    start();
    expect(await (await fetch("http://localhost/a", { unix: path })).text()).toBe("GET /a");
  });

  test("stays where a program listens on it, or where it is not a socket", async () => {
    const { listener } = start();
    await removeStaleSocket(path);
    expect(await isListening(path)).toBe(true);
    expect(() => startAnswering({ socket: { path, mode: 0o600 } })).toThrow(`Failed to listen at ${path}: another program listens there`);
    expect(await (await fetch("http://localhost/a", { unix: path })).text()).toBe("GET /a");
    await listener.close();
    writeFileSync(path, "precious");
    await removeStaleSocket(path);
    expect(existsSync(path)).toBe(true);
  });

  test("need not be there", async () => {
    await removeStaleSocket(path);
    expect(await isListening(path)).toBe(false);
    expect(() => startAnswering({ socket: { path: join(folder, "no", "a.sock"), mode: 0o600 } })).toThrow("there is no such folder");
  });
});

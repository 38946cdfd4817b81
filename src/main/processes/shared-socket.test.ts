import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isListening } from "../../lib/net/unix-socket.ts";
import { openSharedSocket, type SharedSocket } from "./shared-socket.ts";

let folder: string;
let path: string;
const opened: SharedSocket[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-shared-"));
  path = join(folder, "gateway.sock");
});
afterEach(() => {
  for (const each of opened.splice(0)) each.close();
  rmSync(folder, { recursive: true });
});

/** `survivors` are the processes that count as survivors of an earlier owner. */
async function open(...survivors: number[]): Promise<SharedSocket> {
  const running = survivors.map((pid) => ({ id: `1-${pid}`, pid, port: undefined }));
  const socket = await openSharedSocket({ path, mode: 0o640 }, running);
  opened.push(socket);
  return socket;
}

async function refusal(attempt: Promise<unknown>): Promise<string> {
  const [outcome] = await Promise.allSettled([attempt]);
  return outcome.status === "rejected" ? (outcome.reason as Error).message : "opened";
}

describe.skipIf(process.platform !== "linux")("the socket of several processes", () => {
  test("listens with its mode, before any process accepts, and is removed when it is closed", async () => {
    const socket = await open();
    expect([statSync(path).mode & 0o777, await isListening(path)]).toEqual([0o640, true]);
    socket.close();
    socket.close();
    expect(existsSync(path)).toBe(false);
  });

  test("replaces the one of an earlier owner, which its processes hold", async () => {
    const earlier = await open();
    expect(await refusal(open())).toBe(`Failed to listen at ${path}: another program listens there`);
    // This process has the socket open.
    const next = await open(process.pid);
    expect([next.id === earlier.id, next.descriptor === earlier.descriptor]).toEqual([false, false]);
    expect(existsSync(`${path}.new`)).toBe(false);
  });

  test("replaces one that nobody listens on, and what an owner that was killed has left beside it", async () => {
    for (const left of [path, `${path}.new`]) {
      const script = `Bun.listen({ unix: ${JSON.stringify(left)}, socket: { data() {} } }); process.kill(process.pid, "SIGKILL");`;
      await Bun.spawn([process.execPath, "-e", script], { stderr: "ignore" }).exited;
    }
    await open();
    expect(await isListening(path)).toBe(true);
  });

  test("does not replace another program's, nor another file, with surviving processes", async () => {
    const other = Bun.listen({ unix: path, socket: { data: () => undefined } });
    const child = Bun.spawn(["sleep", "60"]);
    for (const survivors of [[], [process.pid], [child.pid], [2 ** 22 + 1]]) {
      expect(await refusal(open(...survivors))).toContain("another program listens there");
    }
    child.kill();
    other.stop(true);
    writeFileSync(path, "precious");
    expect(await refusal(open())).toBe(`Failed to listen at ${path}: a file is there that is not a socket`);
  });
});

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launcher } from "../support/gateway/launcher.ts";
import { waitFor } from "../support/gateway/start-gateway.ts";

const LAUNCHER = launcher();

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "tollgate-log-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const env = (more: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env["PATH"]!,
  TOLLGATE_PORT: "0",
  TOLLGATE_PLATFORM_PORT: "0",
  ...more,
});

/** A pipe that is read only on request. The system buffers 64 KiB of it. */
function pipeIn(place: string): { writer: number; read: () => string; close: () => void } {
  const path = join(place, "pipe");
  Bun.spawnSync(["mkfifo", path]);
  const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY);
  const buffer = new Uint8Array(1024 * 1024);
  return {
    writer,
    read() {
      try {
        return new TextDecoder().decode(buffer.subarray(0, readSync(reader, buffer)));
      } catch {
        return "";
      }
    },
    close() {
      closeSync(reader);
      closeSync(writer);
    },
  };
}

/** Sends this many calls that are rejected. Each of them writes a log line. */
async function callInVain(baseUrl: string, count: number): Promise<void> {
  let left = count;
  const call = async (): Promise<void> => {
    while (left-- > 0) expect((await fetch(`${baseUrl}/models`)).status).toBe(401);
  };
  await Promise.all(Array.from({ length: 32 }, call));
}

describe("a gateway whose log is a pipe", () => {
  test("serves requests while the pipe is full, and writes or counts every line later", async () => {
    const pipe = pipeIn(folder);
    const child = Bun.spawn([LAUNCHER, "start", "--json"], { cwd: folder, env: env(), stdout: pipe.writer, stderr: "inherit" });
    try {
      let text = "";
      const more = (): string => (text += pipe.read());
      await waitFor(() => more().includes("\n"), child.exited);
      const { base_url: baseUrl } = JSON.parse(text.split("\n")[0]!) as { base_url: string };
      await callInVain(baseUrl, 11_500);
      const told = (): { event?: string; dropped?: number; code?: string }[] =>
        more()
          .split("\n")
          .slice(1, -1)
          .map((line) => JSON.parse(line) as object);
      await waitFor(() => told().some(({ event }) => event === "log_dropped"), child.exited);
      await callInVain(baseUrl, 1);
      const missing = (): number => told().reduce((sum, { dropped = 0 }) => sum + dropped, 0);
      await waitFor(() => told().filter(({ code }) => code === "invalid_api_key").length + missing() === 11_501, child.exited);
      expect(missing()).toBeGreaterThan(0);
      expect(told().at(-1)).toMatchObject({ code: "invalid_api_key" });
    } finally {
      child.kill();
      expect(await child.exited).toBe(0);
      pipe.close();
    }
  });

  test("shuts down while its last lines are unread", async () => {
    const pipe = pipeIn(folder);
    const child = Bun.spawn([LAUNCHER, "start", "--json"], { cwd: folder, env: env(), stdout: pipe.writer, stderr: "inherit" });
    try {
      let text = "";
      await waitFor(() => (text += pipe.read()).includes("\n"), child.exited);
      await callInVain((JSON.parse(text.split("\n")[0]!) as { base_url: string }).base_url, 500);
    } finally {
      child.kill();
      expect(await child.exited).toBe(0);
      pipe.close();
    }
  });

  test("continues when the reader of the pipe has exited", async () => {
    const child = Bun.spawn([LAUNCHER, "start", "--json"], { cwd: folder, env: env(), stdout: "pipe", stderr: "inherit" });
    try {
      const reader = child.stdout.getReader();
      const { value } = await reader.read();
      const { base_url: baseUrl } = JSON.parse(new TextDecoder().decode(value)) as { base_url: string };
      await reader.cancel();
      for (let at = 0; at < 5; at++) {
        await callInVain(baseUrl, 10);
        await Bun.sleep(60);
      }
    } finally {
      child.kill();
      expect(await child.exited).toBe(0);
    }
  });
});

test("a terminal paused with Ctrl-S delays no request, and shows the lines after Ctrl-Q", async () => {
  let screen = "";
  const child = Bun.spawn([LAUNCHER, "start"], {
    cwd: folder,
    env: env({ TERM: "xterm" }),
    terminal: { cols: 200, rows: 50, data: (_, bytes) => void (screen += new TextDecoder().decode(bytes)) },
  });
  try {
    const baseUrl = await waitFor(() => /Base URL +(\S+)\r?\n[^]*Add "stream"/.exec(screen)?.[1], child.exited);
    child.terminal!.write("\u0013");
    await callInVain(baseUrl, 100);
    await Bun.sleep(200);
    await callInVain(baseUrl, 100);
    expect(screen).not.toContain("  401  ");
    child.terminal!.write("\u0011");
    await waitFor(() => screen.split("  401  GET /v1/models").length === 201, child.exited);
  } finally {
    child.kill();
    await child.exited;
    child.terminal?.close();
  }
});

/** The log lines of one call without a key. */
async function firstLines(more: Record<string, string>): Promise<string[]> {
  let text = "";
  const child = Bun.spawn([LAUNCHER, "start", "--json"], { cwd: folder, env: env(more), stdout: "pipe", stderr: "inherit" });
  const reading = (async () => {
    for await (const chunk of child.stdout) text += new TextDecoder().decode(chunk);
  })();
  await waitFor(() => text.includes("\n"), child.exited);
  const { base_url: baseUrl } = JSON.parse(text.split("\n")[0]!) as { base_url: string };
  await fetch(`${baseUrl}/models`, { headers: { "user-agent": "a-client/1.0" } });
  child.kill();
  await Promise.all([child.exited, reading]);
  return text.split("\n").slice(1, -1);
}

describe("the settings of the log", () => {
  test("the default is JSON with the level", async () => {
    const [line] = await firstLines({});
    expect(JSON.parse(line!)).toMatchObject({ level: "info", status: 401, code: "invalid_api_key" });
    expect(line).not.toContain("a-client");
  });

  test("TOLLGATE_LOG_FORMAT=text selects text, TOLLGATE_LOG_LEVEL=debug adds the client", async () => {
    const [line] = await firstLines({ TOLLGATE_LOG_FORMAT: "text", TOLLGATE_LOG_LEVEL: "debug" });
    expect(line).toMatch(/^\d\d:\d\d:\d\d {2}401 {2}GET \/v1\/models .* client=a-client\/1\.0/);
  });

  test("TOLLGATE_LOG_LEVEL=warn omits rejections", async () => {
    expect(await firstLines({ TOLLGATE_LOG_LEVEL: "warn" })).toEqual([]);
  });
});

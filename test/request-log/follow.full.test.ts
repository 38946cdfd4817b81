import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { runTollgate } from "../support/gateway/run-tollgate.ts";
import { launcher } from "../support/gateway/launcher.ts";
import { startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { idsIn, startFollower } from "./follower.ts";

describe("logs --follow", () => {
  let gateway: RunningGateway;
  let ports: Record<string, string>;
  let firstKey: string;
  const answered: string[] = [];

  beforeAll(async () => {
    gateway = await startGateway();
    firstKey = gateway.firstKey!;
    ports = { TOLLGATE_PORT: new URL(gateway.baseUrl).port, TOLLGATE_PLATFORM_PORT: new URL(gateway.platformUrl).port };
  });
  afterAll(() => gateway.stop());

  /** Records the ID of every response. While the gateway is down there is none. */
  async function ask(model = "echo"): Promise<void> {
    const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello!" }], stream: answered.length % 2 === 0 });
    try {
      const reply = await fetch(`${gateway.baseUrl}/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${firstKey}`, "content-type": "application/json" },
        body,
      });
      await reply.text();
      answered.push(reply.headers.get("x-request-id")!);
    } catch {
      await Bun.sleep(20);
    }
  }
  async function runWith(env: Record<string, string>, ...options: string[]): Promise<[number, string]> {
    const { code, stderr } = await runTollgate(gateway, ["logs", "--follow", ...options], { env });
    return [code, stderr];
  }

  test("shows every request once, under load and across a restart of the gateway", async () => {
    for (let at = 0; at < 5; at++) await ask();
    const before = answered.slice(-2);
    const follower = startFollower(gateway, "--limit", "2", "--json");
    const refused = startFollower(gateway, "--errors", "--limit", "1000");
    await waitFor(() => follower.lines().length === 2);
    const over = new AbortController();
    const callers = Array.from({ length: 4 }, async (_, at) => {
      // Not at full speed: that would only give the follower more to show.
      for (; !over.signal.aborted; await Bun.sleep(10)) await ask(at === 0 ? "nothing" : "echo");
    });
    // Each follower polls at its own times. A follower that did not poll while the gateway was down would have nothing to report about it.
    const moreAreAnswered = async (): Promise<void> => {
      const { length } = answered;
      await waitFor(() => answered.length > length + 20);
    };
    const bothHaveSaid = (words: string, times: number): boolean =>
      [follower, refused].every((each) => each.words().split(words).length > times);
    for (let restarts = 1; restarts <= 2; restarts++) {
      await moreAreAnswered();
      await gateway.end();
      await waitFor(() => bothHaveSaid("is unavailable", restarts));
      gateway = await startGateway({ folder: gateway.folder, env: ports });
      await waitFor(() => bothHaveSaid("available again", restarts));
    }
    await moreAreAnswered();
    over.abort();
    await Promise.all(callers);
    // A request shown a second time would appear before these requests.
    await ask("nothing");
    await ask("echo");
    const expected = [...before, ...answered.slice(5)];
    await waitFor(() => idsIn(follower.lines()).includes(expected.at(-1)!));
    const requests = (): { request_id: string; ended_at: string; outcome: string }[] =>
      follower.lines().map((line) => JSON.parse(line) as { request_id: string; ended_at: string; outcome: string });
    await waitFor(() => idsIn(refused.lines()).includes(expected.at(-2)!));
    const seen = requests();
    expect(seen.map((each) => each.request_id).toSorted()).toEqual(expected.toSorted());
    expect(seen.map((each) => each.ended_at)).toEqual(seen.map((each) => each.ended_at).toSorted());
    expect(idsIn(refused.lines())).toEqual(seen.filter(({ outcome }) => outcome === "refused").map((each) => each.request_id));
    expect(refused.lines().every((line) => line.includes("model_not_allowed"))).toBe(true);
    expect([await follower.end(), await refused.end()]).toEqual([0, 0]);
    expect(refused.words()).toBe(
      "tollgate: the gateway is unavailable; waiting for it\ntollgate: the gateway is available again\n".repeat(2),
    );
  });

  test("ends when its reader closes the pipe", async () => {
    const line = `${launcher()} logs --follow --limit 10 | head -1`;
    const child = Bun.spawn(["sh", "-c", line], {
      cwd: gateway.folder,
      env: { PATH: process.env["PATH"]!, ...ports },
      stdout: "pipe",
      stderr: "pipe",
    });
    // The failure is noticed when there is something to write.
    const asking = setInterval(() => void ask(), 200);
    try {
      expect((await child.stdout.text()).split("\n")).toHaveLength(2);
      expect([await child.exited, await child.stderr.text()]).toEqual([0, ""]);
    } finally {
      clearInterval(asking);
    }
  });

  test("fails at once for a wrong option, a rejected token and an unreachable gateway", async () => {
    expect(await runWith({}, "--status", "9")).toEqual([1, expect.stringContaining("--status must be")]);
    expect(await runWith({}, "--until", "1h")).toEqual([2, expect.stringContaining("--follow cannot be combined with --until")]);
    expect(await runWith({ TOLLGATE_OPERATOR_TOKEN: "not-the-right-token" })).toEqual([1, expect.stringContaining("rejected the")]);
    expect(await runWith({ TOLLGATE_PLATFORM_PORT: "1" })).toEqual([1, expect.stringContaining("no gateway is reachable")]);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  completion,
  configFor,
  GOOD_CHUNKS,
  manualStream,
  rawEvents,
  startMockUpstream,
  type MockUpstream,
} from "../support/upstreams/mock-upstream.ts";
import { reloadsOf, reloadWith, replace, requestReload, type ReloadReply } from "../support/gateway/reload-gateway.ts";
import { launcher } from "../support/gateway/launcher.ts";
import { startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { ask } from "../streams/ask.ts";
import { eventually } from "../support/eventually.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

/** The model `a` is in use, so it must stay in the file. `b` is added and removed. */
const answers = { "up-a": () => Response.json(completion()) };
let upstream: MockUpstream;
let gateway: RunningGateway;
let key: string;

beforeAll(async () => {
  upstream = startMockUpstream(answers);
  gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["a"]) });
  key = (await gateway.makeKey()).key;
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const statusOf = async (model: string): Promise<number> => (await ask(gateway, key, model, false)).status;
const comes = (model: string): Promise<void> => becomes(model, true);
const goes = (model: string): Promise<void> => becomes(model, false);

/** The callable models. Listing them does not use a model. */
async function isListed(model: string): Promise<boolean> {
  const response = await fetch(`${gateway.baseUrl}/models`, { headers: { authorization: `Bearer ${key}` } });
  return ((await response.json()) as { data: { id: string }[] }).data.some(({ id }) => id === model);
}

/** Polls until a model appears or disappears, because there is no notification of a reload. */
async function becomes(model: string, listed: boolean): Promise<void> {
  await eventually(
    () => isListed(model),
    (isThere) => isThere === listed,
  );
}

const messages = (event: string): string[] =>
  gateway
    .logLines()
    .filter((line) => line["event"] === event)
    .map((line) => String(line["message"]));

describe("hot reload of a changed config file", () => {
  test("takes effect without a restart, and removes missing resources", async () => {
    expect([await statusOf("a"), await statusOf("b")]).toEqual([200, 403]);
    replace(gateway, configFor(upstream.baseUrl, ["a", "b"]));
    await comes("b");
    replace(gateway, configFor(upstream.baseUrl, ["a", "c"]));
    await goes("b");
    expect([await statusOf("a"), await statusOf("b")]).toEqual([200, 403]);
    await waitFor(() => messages("config_reloaded").some((line) => line.includes("added model c; removed model b")));
  });

  test("rejects a file without a model that is in use, and keeps the model", async () => {
    replace(gateway, configFor(upstream.baseUrl, ["c"]));
    const refusal = await waitFor(() => messages("config_rejected").find((line) => line.includes("the model a is missing from the file")));
    expect(refusal).toContain(`${gateway.folder}/tollgate.yaml: the model a is missing from the file, but a key has used it since 20`);
    expect(await statusOf("a")).toBe(200);
  });

  test("detects a replaced file", async () => {
    const path = join(gateway.folder, "tollgate.yaml");
    writeFileSync(`${path}.new`, configFor(upstream.baseUrl, ["a", "b"]));
    renameSync(`${path}.new`, path);
    await comes("b");
  });

  test("detects a changed symbolic link in the path, as Kubernetes uses them", async () => {
    const { folder } = gateway;
    const path = join(folder, "tollgate.yaml");
    for (const [version, models] of [
      ["..1", ["a"]],
      ["..2", ["a", "b"]],
    ] as const) {
      mkdirSync(join(folder, version));
      writeFileSync(join(folder, version, "tollgate.yaml"), configFor(upstream.baseUrl, models));
    }
    symlinkSync("..1", join(folder, "..data"));
    rmSync(path);
    symlinkSync(join("..data", "tollgate.yaml"), path);
    await goes("b");
    symlinkSync("..2", join(folder, "..data_tmp"));
    renameSync(join(folder, "..data_tmp"), join(folder, "..data"));
    await comes("b");
    rmSync(path);
    replace(gateway, configFor(upstream.baseUrl, ["a", "c"]));
    await comes("c");
  });

  test("rejects an invalid file with its position, and keeps the configuration until it is fixed", async () => {
    replace(gateway, configFor(upstream.baseUrl, ["a"]).replace("owned_by", "ownd_by"));
    const refusal = await waitFor(() => messages("config_rejected").find((line) => line.includes("ownd_by")));
    expect(refusal).toContain(`${gateway.folder}/tollgate.yaml:9:14: models[0].ownd_by is not a known field`);
    expect([await statusOf("a"), await isListed("c")]).toEqual([200, true]);
    replace(gateway, configFor(upstream.baseUrl, ["a", "c"]));
    await waitFor(() => messages("config_reloaded").some((line) => line.includes("nothing has changed")));
  });

  test("ignores a removed file, and reloads it when it is restored", async () => {
    rmSync(join(gateway.folder, "tollgate.yaml"));
    await waitFor(() => messages("config_rejected").some((line) => line.endsWith("tollgate.yaml does not exist")));
    expect(await statusOf("a")).toBe(200);
    replace(gateway, configFor(upstream.baseUrl, ["a"]));
    await goes("c");
  });

  test("does not end a stream, even when its upstream is no longer declared", async () => {
    const manual = manualStream();
    const slow = startMockUpstream({ "up-a": () => rawEvents(manual.stream) });
    replace(gateway, configFor(slow.baseUrl, ["a"]).replaceAll("mock", "leaving"));
    await requestReload(gateway);
    const [first, ...rest] = GOOD_CHUNKS.map((event) => `data: ${event}\n\n`);
    manual.write(first!);
    const started = Promise.withResolvers<void>();
    const stream = ask(gateway, key, "a", true, started.resolve);
    await started.promise;
    const { changed } = await reloadWith(gateway, configFor(upstream.baseUrl, ["a"]));
    expect(changed).toEqual({
      added: [{ kind: "upstream", id: "mock" }],
      changed: [{ kind: "model", id: "a" }],
      removed: [{ kind: "upstream", id: "leaving" }],
    });
    expect(await statusOf("a")).toBe(200);
    manual.write(`${rest.join("")}data: [DONE]\n\n`);
    manual.end();
    const heard = await stream;
    expect(heard.text).toEndWith("data: [DONE]\n\n");
    expect(heard.text).toContain("world");
    expect(await heard.log()).toMatchObject({ upstream: "leaving", end: "complete", status: 200 });
    await slow.stop();
  });
});

describe("SIGHUP", () => {
  test("reloads the file immediately, and logs the result", async () => {
    const count = messages("config_reloaded").length;
    process.kill(gateway.pid, "SIGHUP");
    await waitFor(() => messages("config_reloaded").length > count);
    expect(messages("config_reloaded").at(-1)).toEndWith("was reloaded: nothing has changed");
  });

  test("changes nothing without a file", async () => {
    const bare = await startGateway();
    process.kill(bare.pid, "SIGHUP");
    await waitFor(() => bare.logLines().some((line) => String(line["message"]).includes("no config file")));
    expect((await ask(bare, bare.firstKey!, "echo", false)).status).toBe(200);
    const response = await requestReload(bare).catch((error: Error) => error.message);
    expect(response).toContain('"code":"nothing_to_reload"');
    await bare.stop();
  });
});

test.skipIf(!Bun.which("setsid"))(
  "a terminal that is closed ends the gateway that was started in it, but SIGHUP alone does not",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-terminal-"));
    let output = "";
    const terminal = new Bun.Terminal({ cols: 200, data: (_, bytes) => void (output += new TextDecoder().decode(bytes)) });
    const child = Bun.spawn(["setsid", "--ctty", launcher(), "start"], {
      cwd: folder,
      env: { PATH: process.env["PATH"]!, TOLLGATE_PORT: "0", TOLLGATE_PLATFORM_PORT: "0" },
      terminal,
    });
    await waitFor(() => output.includes("Try it:"), child.exited);
    child.kill("SIGHUP");
    await waitFor(() => output.includes("there is no config file to reload"), child.exited);
    terminal.close();
    expect(await Promise.race([child.exited, Bun.sleep(WAIT_LIMIT_MS)])).toBe(0);
    rmSync(folder, { recursive: true });
  },
);

describe("POST /api/config/reload", () => {
  test("returns the changes, and the audit log has them with the actor", async () => {
    replace(gateway, configFor(upstream.baseUrl, ["a"]));
    await requestReload(gateway);
    const before = (await reloadsOf(gateway)).length;
    const yaml = configFor(upstream.baseUrl, ["a", "b"]).replace("upstream-credential-canary", "another-credential-canary");
    const report = await reloadWith(gateway, yaml);
    const changed = {
      added: [{ kind: "model", id: "b" }],
      changed: [{ kind: "upstream", id: "mock" }],
      removed: [],
    };
    const file = join(gateway.folder, "tollgate.yaml");
    expect(report).toEqual({ file, upstreams: 1, models: 2, price_lists: 0, accounts: 0, changed, warnings: [] });
    const records = await reloadsOf(gateway);
    expect(records).toHaveLength(before + 1);
    expect(records[0]).toMatchObject({
      actor: "operator-token",
      address: "127.0.0.1",
      target: { kind: "config", id: file },
      before: { changed: changed.changed, removed: [] },
      after: { added: changed.added, changed: changed.changed },
    });
    await ask(gateway, key, "a", false);
    expect(upstream.last().headers.get("authorization")).toBe("Bearer another-credential-canary");
    expect(gateway.output()).not.toContain("credential-canary");
  });

  test("returns no changes without any, and is not audited", async () => {
    const before = (await reloadsOf(gateway)).length;
    const nothing = { added: [], changed: [], removed: [] };
    expect((await requestReload(gateway)).changed).toEqual(nothing);
    expect(await reloadsOf(gateway)).toHaveLength(before);
  });

  test("rejects an invalid file with its position", async () => {
    replace(gateway, configFor(upstream.baseUrl, ["a", "a"]));
    const problem = await requestReload(gateway).catch((error: Error) => JSON.parse(error.message) as object);
    expect(problem).toMatchObject({
      status: 400,
      code: "invalid_config",
      detail: `${gateway.folder}/tollgate.yaml:10:7: models[1].id repeats "a".`,
    });
    expect(await isListed("b")).toBe(true);
  });

  test("runs once for two concurrent calls: one receives the changes, the other none", async () => {
    const before = (await reloadsOf(gateway)).length;
    replace(gateway, configFor(upstream.baseUrl, ["a"]));
    const reports: ReloadReply[] = await Promise.all(Array.from({ length: 10 }, () => requestReload(gateway)));
    const removals = reports.map(({ changed }) => changed.removed.length);
    // The watcher may have been faster than all of these calls.
    expect(removals.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(1);
    expect(await reloadsOf(gateway)).toHaveLength(before + 1);
    expect(await isListed("b")).toBe(false);
  });
});

test("an automatic reload is audited with the file as its actor", async () => {
  replace(gateway, configFor(upstream.baseUrl, ["a", "b"]));
  await comes("b");
  const [newest] = await reloadsOf(gateway);
  expect(newest).toMatchObject({ actor: "config-file", address: null, after: { added: [{ kind: "model", id: "b" }] } });
});

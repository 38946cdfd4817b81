import { createServer } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { greetingIn } from "../../../test/support/gateway/read-greeting.ts";
import { startGateway } from "../../../test/support/gateway/start-gateway.ts";
import { post, user } from "../calls.ts";
import type { Expectations } from "../expectations.ts";
import { startModelServer } from "../model-server.ts";
import { CheckSkipped } from "../skipped.ts";
import type { Check, Trial } from "../trial.ts";

/** The default port of llama.cpp, where a gateway without a config file looks for it. */
const DEFAULT_PORT = 8080;

/** Without an alias, llama.cpp names a model by the path of its file. */
export const DISCOVERY: Check = {
  name: "discovery: a gateway without a config file finds the model, and names it without its path",
  async run(trial, expect) {
    if (!(await isFree(DEFAULT_PORT))) throw new CheckSkipped(`port ${DEFAULT_PORT} is in use`);
    const server = await startModelServer(trial.python, DEFAULT_PORT);
    try {
      const model = await expectDiscovered(trial, expect);
      if (model !== undefined) await expectGreeting(model, expect);
    } finally {
      await server.kill();
    }
  },
};

async function expectDiscovered(trial: Trial, expect: Expectations): Promise<string | undefined> {
  const gateway = await startGateway();
  try {
    const key = gateway.firstKey!;
    const response = await fetch(`${gateway.baseUrl}/models`, { headers: { authorization: `Bearer ${key}` } });
    const ids = ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
    const model = ids.find((id) => /smollm2/i.test(id));
    expect.that("models", model !== undefined && !model.includes("/"), "SmolLM2 by a name without a path", ids);
    if (model === undefined) return undefined;
    const { status, text } = await post({ ...trial, gateway, key }, { model, messages: user("Hi"), max_tokens: 2 });
    expect.that(`a completion of ${model}`, status === 200, "status 200", text);
    return model;
  } finally {
    await gateway.stop();
  }
}

async function expectGreeting(model: string, expect: Expectations): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-try-model-"));
  try {
    const greeting = await greetingIn(folder);
    expect.contains("the command that a start prints", greeting.slice(greeting.indexOf("curl ")), `"model": "${model}"`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}

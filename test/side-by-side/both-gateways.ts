import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLiteLLM } from "../clients/python/start-litellm.ts";
import { eventually } from "../support/eventually.ts";
import { launcher } from "../support/gateway/launcher.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { nodeSdk, pythonSdk, type Sdk, type Side } from "./clients.ts";
import { FAILING, startStrictDouble, type StrictDouble } from "./strict-double.ts";

/** A gateway with the SDKs that call it. */
export interface CalledSide extends Side {
  readonly sdks: Readonly<Record<"openai-python" | "openai-node", Pick<Sdk, "send">>>;
}

/** LiteLLM and Tollgate with the same config, in front of the same upstream. */
export interface BothGateways {
  readonly double: StrictDouble;
  readonly litellm: CalledSide;
  readonly tollgate: CalledSide;
  stop(): Promise<void>;
}

const KEYS = { DOUBLE_KEY: "sk-double", OTHER_KEY: "sk-other", THIRD_KEY: "sk-third", FOURTH_KEY: "sk-fourth" };
/** The import treats the value of a header as a secret, and refers to a variable. */
const HEADERS = { LOCAL_2_X_TEAM: "blue" };
const MASTER_KEY = "sk-master-0123456789";

/** Starts both gateways. LiteLLM is installed in this folder. */
export async function startBothGateways(bin: string): Promise<BothGateways> {
  await using started = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "tollgate-side-by-side-"));
  started.defer(() => rmSync(folder, { recursive: true, force: true }));
  const double = started.adopt(startStrictDouble(), stop);
  writeFileSync(join(folder, "config.yaml"), configFor(double.baseUrl));
  const env = environment(bin, folder);
  const { url } = started.adopt(await startLiteLLM(folder, "config.yaml", { ...env, ...KEYS, LITELLM_MASTER_KEY: MASTER_KEY }), stop);
  const gateway = started.adopt(await startGateway({ yaml: await importConfig(folder), env: { ...KEYS, ...HEADERS } }), stop);
  const { key } = await gateway.makeKey();
  const withSdks = (side: Side): CalledSide => ({
    ...side,
    sdks: { "openai-python": started.adopt(pythonSdk(side, env), stop), "openai-node": nodeSdk(side) },
  });
  const sides = { litellm: withSdks({ url, key: MASTER_KEY }), tollgate: withSdks({ url: gateway.baseUrl.replace(/\/v1$/, ""), key }) };
  await Promise.all(Object.values(sides).map(warmUp));
  const kept = started.move();
  return { double, ...sides, stop: () => kept.disposeAsync() };
}

/** LiteLLM loads much code at the first request, and Tollgate requests the models of a wildcard from the upstream after startup. */
async function warmUp({ url, key }: Side): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ model: "double/good", messages: [{ role: "user", content: "Hello!" }] });
  await eventually(async () => (await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body })).status, isOk, {
    everyMs: 250,
  });
}

const isOk = (status: number): boolean => status === 200;

const stop = (one: { stop(): Promise<void> }): Promise<void> => one.stop();

/** The config with a deployment for each failing model of the double. */
function configFor(baseUrl: string): string {
  const failing = Object.keys(FAILING).map(
    (name) =>
      `  - model_name: ${name}\n    litellm_params: { model: openai/${name}, api_base: DOUBLE, api_key: os.environ/DOUBLE_KEY, num_retries: 0 }`,
  );
  const template = readFileSync(join(import.meta.dir, "config.yaml"), "utf8");
  return template.replace(/^ *# FAILING.*$/m, failing.join("\n")).replaceAll(/(?<=api_base: )DOUBLE/g, `"${baseUrl}"`);
}

/** The complete environment of LiteLLM and of the Python SDK. Only this machine can be reached. */
function environment(bin: string, folder: string): Record<string, string> {
  return {
    PATH: `${bin}:${process.env["PATH"]!}`,
    HOME: folder,
    PYTHONPATH: join(import.meta.dir, "../clients/python/loopback"),
    PYTHONPYCACHEPREFIX: join(bin, "../pycache"),
    LITELLM_LOCAL_MODEL_COST_MAP: "True",
  };
}

async function importConfig(folder: string): Promise<string> {
  const command = [launcher(), "import", "litellm", "config.yaml"];
  const child = Bun.spawn(command, { cwd: folder, env: { PATH: process.env["PATH"]! }, stdout: "pipe", stderr: "pipe" });
  const [yaml, problems, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(problems);
  return yaml;
}

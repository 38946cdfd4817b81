import { loadProbeListener, SETTINGS } from "../../config.ts";
import { urlOf } from "../../http/serve.ts";
import { CommandFailed, type Command } from "../command.ts";
import { connectionTo } from "../connection-to.ts";
import { asJson, writeStdout } from "../output.ts";

const TIMEOUT_MS = 5000;

export const checkHealth: Command = {
  summary: "Check that the gateway on this machine responds.",
  details: `It calls /healthz of the gateway, or of the platform where ${SETTINGS.role} is platform. It is the health check of a container, which has
no curl: run it with the environment of the gateway. Exit code 1 if there is no response within 5 seconds, or another one than 200.`,
  examples: ["health"],
  operands: [],
  options: {},
  async run({ json }) {
    const listener = loadProbeListener();
    const url = `${urlOf(listener)}/healthz`;
    const status = await statusOf(url, await connectionTo(listener));
    if (status !== 200) throw new CommandFailed(`${url} returned status ${status}`, { problem: { code: "unhealthy" } });
    await writeStdout(json ? asJson({ url, status: "ok" }) : `${url} is healthy.\n`);
  },
};

async function statusOf(url: string, connection: BunFetchRequestInit): Promise<number> {
  try {
    const { status } = await fetch(url, { ...connection, redirect: "manual", proxy: false, signal: AbortSignal.timeout(TIMEOUT_MS) });
    return status;
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? `: ${String(error.code)}` : "";
    throw new CommandFailed(`no response from ${url}${reason}`, { cause: error, problem: { code: "unhealthy" } });
  }
}

import { loadProbeListener, SETTINGS } from "../../config.ts";
import type { ListenerSettings } from "../../config/listener-settings.ts";
import { urlOf } from "../../http/serve.ts";
import { CommandFailed, type Command } from "../command.ts";
import { asJson, writeStdout } from "../output.ts";

const TIMEOUT_MS = 5000;

export const checkHealth: Command = {
  summary: "Check that the gateway on this machine responds.",
  details: `It calls /healthz of the gateway, or of the platform where ${SETTINGS.role} is platform. It is the health check of a container, which has
no curl: run it with the environment of the gateway. Exit code 1 if there is no response within 5 seconds, or its status is not 200.`,
  examples: ["health"],
  operands: [],
  options: {},
  async run({ json }) {
    const listener = loadProbeListener();
    const url = `${urlOf(listener)}/healthz`;
    const name = listener.socket?.path ?? url;
    const status = await statusOf(url, name, listener);
    if (status !== 200) throw new CommandFailed(`${name} returned status ${status}`, { problem: { code: "unhealthy" } });
    await writeStdout(json ? asJson({ url, status: "ok" }) : `${name} is healthy.\n`);
  },
};

async function statusOf(url: string, name: string, { socket }: ListenerSettings): Promise<number> {
  try {
    const { status } = await fetch(url, {
      redirect: "manual",
      proxy: false,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(socket && { unix: socket.path }),
      // No secret is sent. A gateway that still has the previous certificate, because the new one cannot be used, must not be restarted.
      tls: { rejectUnauthorized: false },
    });
    return status;
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? `: ${String(error.code)}` : "";
    throw new CommandFailed(`no response from ${name}${reason}`, { cause: error, problem: { code: "unhealthy" } });
  }
}

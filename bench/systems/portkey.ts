import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SYSTEM_CORE } from "../machine/cores.ts";
import { startProcess } from "../machine/start-process.ts";
import { freePort } from "../machine/free-port.ts";
import { untilListening } from "../machine/nginx.ts";
import { targetAt, type System } from "./system.ts";

const PACKAGE = "@portkey-ai/gateway";
const VERSION = "1.15.2";
/** With a later one no stream works: github.com/Portkey-AI/gateway/issues/1389. */
const OVERRIDES = { "@hono/node-server": "1.14.1" };
/** Not among the packages of this project: whoever only installs it need not have the others' gateways. */
const FOLDER = join(import.meta.dir, "../.systems/portkey");
const SCRIPT = join(FOLDER, "node_modules", PACKAGE, "build/start-server.js");

/** The gateway in TypeScript that is most in use. It has no keys, no credit and no limits: a bare entrant. Null where it cannot be had. */
export function portkey(): System | null {
  if (!existsSync(SCRIPT) && !install()) return null;
  return {
    name: "portkey",
    version: `${VERSION}, with ${Object.entries(OVERRIDES).flat().join(" ")}`,
    renames: false,
    async start({ upstream }) {
      const port = await freePort();
      const child = startProcess(SYSTEM_CORE, ["node", SCRIPT, "--headless", `--port=${port}`], {
        env: {
          PATH: process.env["PATH"]!,
          NODE_ENV: "production",
          ...(upstream.authority && { NODE_EXTRA_CA_CERTS: upstream.authority }),
        },
        stdout: "ignore",
        stderr: "ignore",
      });
      await untilListening(port, child.exited);
      const host = upstream.authority ? upstream.url.replace("127.0.0.1", "localhost") : upstream.url;
      const headers = { "x-portkey-provider": "openai", "x-portkey-custom-host": host, authorization: "Bearer sk-bench" };
      return {
        name: "portkey",
        pid: child.pid,
        target: targetAt(port, headers),
        async stop() {
          child.kill("SIGKILL");
          await child.exited;
        },
      };
    },
  };
}

function install(): boolean {
  mkdirSync(FOLDER, { recursive: true });
  const packages = { private: true, dependencies: { [PACKAGE]: VERSION }, overrides: OVERRIDES };
  writeFileSync(join(FOLDER, "package.json"), JSON.stringify(packages));
  const command = ["npm", "install", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund"];
  const { exitCode } = Bun.spawnSync(command, { cwd: FOLDER, stdout: "ignore", stderr: "ignore" });
  return exitCode === 0 && existsSync(SCRIPT);
}

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { install, SYSTEMS, type Peer } from "./peer.ts";

const PACKAGE = "@portkey-ai/gateway";
const VERSION = "1.15.2";
/** With a later version no stream works: github.com/Portkey-AI/gateway/issues/1389. */
const OVERRIDES = { "@hono/node-server": "1.14.1" };
const FOLDER = join(SYSTEMS, `portkey-${VERSION}`);
const SCRIPT = join(FOLDER, "node_modules", PACKAGE, "build/start-server.js");

export const portkey: Peer = {
  name: "portkey",
  version: `${VERSION}, with ${Object.entries(OVERRIDES).flat().join(" ")}`,
  settings:
    "`NODE_ENV=production`, headless: no web console. The open-source gateway has no keys, budgets or request log that could be turned on.",
  noBudget: "the open-source gateway has no budgets",
  install() {
    if (existsSync(SCRIPT)) return null;
    if (Bun.which("npm") === null) return "npm is not installed";
    mkdirSync(FOLDER, { recursive: true });
    const packages = { private: true, dependencies: { [PACKAGE]: VERSION }, overrides: OVERRIDES };
    writeFileSync(join(FOLDER, "package.json"), JSON.stringify(packages));
    return install(["npm", "install", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund"], FOLDER);
  },
  launch: ({ port, url }) => ({
    command: ["node", SCRIPT, "--headless", `--port=${port}`],
    environment: { NODE_ENV: "production" },
    headers: { "x-portkey-provider": "openai", "x-portkey-custom-host": url, authorization: "Bearer sk-bench" },
  }),
};

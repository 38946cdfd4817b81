import { join } from "node:path";
import { SYSTEM_CORE } from "../machine/cores.ts";
import { firstLine, startProcess } from "../machine/start-process.ts";
import { targetAt, type System } from "./system.ts";

/** A relay of a few lines without features: the cost of Bun's own server and client. */
export const bunFetch: System = {
  name: "bun-fetch",
  version: Bun.version,
  renames: false,
  async start({ upstream }) {
    const command = [
      process.execPath,
      join(import.meta.dir, "fetch-relay.ts"),
      upstream.authority ? upstream.url.replace("127.0.0.1", "localhost") : upstream.url,
    ];
    const child = startProcess(SYSTEM_CORE, command, {
      env: {
        PATH: process.env["PATH"]!,
        BUN_CONFIG_MAX_HTTP_REQUESTS: "65535",
        ...(upstream.authority && { NODE_EXTRA_CA_CERTS: upstream.authority }),
      },
      stdout: "pipe",
    });
    const { port } = await firstLine<{ port: number }>(child);
    return {
      name: "bun-fetch",
      pid: child.pid,
      target: targetAt(port),
      async stop() {
        child.kill();
        await child.exited;
      },
    };
  },
};

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";

export interface RunningNginx {
  /** Calls nginx with the host name of the URL. nginx listens on a Unix socket, which avoids port conflicts. */
  call(url: string, init?: RequestInit): Promise<Response>;
  stop(): Promise<void>;
}

/** A real nginx with these directives in its only server block. */
export async function startNginx(program: string, server: string): Promise<RunningNginx> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-nginx-"));
  const socket = join(folder, "socket");
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join("\n");
  const config = `daemon off; master_process off; pid ${folder}/pid; error_log stderr;
    events {}
    http { access_log off; ${temporary} server { listen unix:${socket}; ${server} } }`;
  writeFileSync(join(folder, "nginx.conf"), config);
  const child = Bun.spawn([program, "-p", folder, "-e", "stderr", "-c", join(folder, "nginx.conf")], { stdout: "ignore", stderr: "pipe" });
  const call = (url: string, init: RequestInit = {}): Promise<Response> =>
    fetch(url.replace(/^https:/, "http:"), { redirect: "manual", ...init, unix: socket });
  const stop = async (): Promise<void> => {
    child.kill();
    await child.exited;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilResponds(() => call("http://nginx.test/"), child);
  } catch (error) {
    await stop();
    throw error;
  }
  return { call, stop };
}

async function untilResponds(call: () => Promise<Response>, child: Bun.Subprocess<"ignore", "ignore", "pipe">): Promise<void> {
  const responds = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`nginx exited: ${await child.stderr.text()}`);
    return call().then(
      () => true,
      () => false,
    );
  };
  await eventually(responds, (isThere) => isThere);
}

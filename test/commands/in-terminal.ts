import { launcher } from "../support/gateway/launcher.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";

/** Runs a command in a terminal of this width. Returns its exit code and the screen. */
export async function runInTerminal(
  gateway: RunningGateway,
  args: readonly string[],
  columns: number,
): Promise<{ code: number; screen: string }> {
  let screen = "";
  // The command's last output may still be in transit when the command has ended.
  const { promise: isRead, resolve } = Promise.withResolvers<void>();
  const utf8 = new TextDecoder();
  const child = Bun.spawn([launcher(), ...args], {
    cwd: gateway.folder,
    env: { PATH: process.env["PATH"]!, TERM: "xterm-256color", TOLLGATE_PLATFORM_PORT: new URL(gateway.platformUrl).port },
    terminal: { cols: columns, rows: 50, data: (_, bytes) => void (screen += utf8.decode(bytes, { stream: true })), exit: () => resolve() },
  });
  const code = await child.exited;
  await isRead;
  child.terminal?.close();
  return { code, screen: screen.replaceAll("\r\n", "\n") };
}

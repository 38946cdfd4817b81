import { launcher } from "./launcher.ts";

/** The greeting of a gateway that starts in this folder. It is stopped after `use`. */
export async function greetingIn(
  folder: string,
  env: Record<string, string> = {},
  use: (greeting: string) => Promise<void> = async () => undefined,
): Promise<string> {
  const child = Bun.spawn([launcher(), "start"], {
    cwd: folder,
    env: { PATH: process.env["PATH"]!, TOLLGATE_PORT: "0", TOLLGATE_PLATFORM_PORT: "0", ...env },
    stdout: "pipe",
    stderr: "inherit",
  });
  try {
    let text = "";
    for await (const chunk of child.stdout) {
      text += new TextDecoder().decode(chunk);
      if (/ Keys [^]*\n\n/.test(text)) break;
    }
    await use(text);
    return text;
  } finally {
    child.kill("SIGTERM");
    await child.exited;
  }
}

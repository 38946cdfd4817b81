import { pinned } from "./cores.ts";
import { treeOf } from "./process-tree.ts";

const running = new Set<Bun.Subprocess>();

// However a run ends, none of its processes keeps running, or writes into a folder that is being removed.
process.once("exit", () => [...running].flatMap(({ pid }) => treeOf(pid)).forEach(endNow));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

export function endNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has ended meanwhile.
  }
}

type Stream = "pipe" | "ignore" | number;

/** Starts a process on these cores. It is terminated when this process ends, at the latest. */
export function startProcess<Out extends Stream, Err extends Stream | "inherit" = "inherit">(
  cores: string,
  command: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; stdout: Out; stderr?: Err },
): Bun.Subprocess<"ignore", Out, Err> {
  const child = Bun.spawn(pinned(cores, command), { stdin: "ignore", stderr: "inherit" as Err, ...options });
  running.add(child);
  void child.exited.then(() => running.delete(child));
  return child;
}

/** The first line that a process prints, as JSON: our programs print it when they are ready. */
export async function firstLine<T>(child: Bun.Subprocess<"ignore", "pipe">): Promise<T> {
  const reader = child.stdout.getReader();
  let line = "";
  while (!line.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`A process ended before it was ready: ${line}`);
    line += new TextDecoder().decode(value);
  }
  return JSON.parse(line) as T;
}

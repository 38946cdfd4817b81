import { availableParallelism, loadavg, release, totalmem } from "node:os";

/** The machine and the versions that results depend on. */
export function aboutMachine(): Record<string, string> {
  return {
    CPU: `${cpuName()}, ${availableParallelism()} cores`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    kernel: `Linux ${release()}`,
    "load before": loadavg()
      .map((value) => value.toFixed(2))
      .join(" "),
  };
}

function cpuName(): string {
  return /Model name:\s*(.+)/.exec(said(["lscpu"]))?.[1] ?? process.arch;
}

/** The measured commit, and whether the work tree differs from it. */
export function commitNow(): string {
  const [commit, changes] = [said(["git", "rev-parse", "--short=12", "HEAD"]).trim(), said(["git", "status", "--porcelain", "src", "bin"])];
  return changes === "" ? commit : `${commit} with changes`;
}

export function toolVersions(): Record<string, string> {
  return { bun: Bun.version, node: said(["node", "--version"]).trim().slice(1), wrk: /wrk (\S+)/.exec(said(["wrk", "-v"]))?.[1] ?? "" };
}

function said(command: string[]): string {
  try {
    return Bun.spawnSync(command, { stderr: "ignore" }).stdout.toString();
  } catch {
    return "";
  }
}

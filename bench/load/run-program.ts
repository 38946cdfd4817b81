import { join } from "node:path";
import { LOAD_CORES } from "../machine/cores.ts";
import { startProcess } from "../machine/start-process.ts";

export interface ProgramResult<T> {
  readonly said: T;
  readonly cpuUs: number;
}

/** Runs a load program on the core reserved for load, and returns the JSON that it prints. */
export async function runProgram<T>(name: string, argument: object): Promise<ProgramResult<T>> {
  const command = [process.execPath, join(import.meta.dir, `${name}.ts`), JSON.stringify(argument)];
  const child = startProcess(LOAD_CORES, command, { stdout: "pipe", stderr: "pipe" });
  const [output, complaints, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`${name}: ${complaints || output}`);
  return { said: JSON.parse(output) as T, cpuUs: Number(child.resourceUsage()!.cpuTime.total) };
}

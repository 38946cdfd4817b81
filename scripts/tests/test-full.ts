/**
 * Runs the full suite: every `*.full.test.ts`, each in its own process. A failed file runs a second time, alone, after all others. If it
 * passes then, it is listed under "Flaky" and the run passes: a failure by chance is a bug to fix.
 *
 *     npm run test:full                    all files
 *     npm run test:full -- test/console    the files whose path contains this
 */
import { availableParallelism } from "node:os";
import { describeResult, findTestFiles, ROOT, runConcurrently, runTestFile, type TestResult } from "./test-file.ts";

/** These files take longest, so they start first: otherwise the run would end with a single one of them. */
const FIRST = [
  "test/console/accessibility",
  "test/streams/keep-alive",
  "test/clouds/google-expiry",
  "test/clouds/azure-expiry",
  "test/chaos/",
  "test/documents/shell-blocks",
  "test/clients/packages",
];

/** Tests spend part of their time waiting, so two per core keep the cores busy. */
const MAX_CONCURRENT = 2 * availableParallelism();

interface FullRun {
  readonly results: readonly TestResult[];
  /** The first results of files that passed when they ran again alone. */
  readonly flaky: readonly TestResult[];
}

export async function runFull(files: readonly string[], root: string, print: (line: string) => void): Promise<FullRun> {
  const results: TestResult[] = [];
  await runConcurrently(slowestFirst(files), MAX_CONCURRENT, async (file) => {
    const result = await runTestFile(file, root);
    results.push(result);
    print(describeResult(result));
  });
  const flaky: TestResult[] = [];
  for (const [at, first] of results.entries()) {
    if (first.isPassed) continue;
    print(`Running ${first.file} again, alone`);
    const second = await runTestFile(first.file, root);
    print(describeResult(second));
    results[at] = second;
    if (second.isPassed) flaky.push(first);
  }
  return { results, flaky };
}

function slowestFirst(files: readonly string[]): string[] {
  return files.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function rankOf(file: string): number {
  const rank = FIRST.findIndex((start) => file.startsWith(start));
  return rank < 0 ? FIRST.length : rank;
}

/** The end of the output: failures and flaky files with their logs, then the counts. */
export function summarizeFull({ results, flaky }: FullRun, seed: string): string {
  const failed = results.filter(({ isPassed }) => !isPassed);
  const sum = (counted: (result: TestResult) => number): number => results.reduce((total, result) => total + counted(result), 0);
  const counts = `${sum(({ passed }) => passed)} passed, ${sum((result) => result.failed)} failed, ${sum(({ skipped }) => skipped)} skipped`;
  return [
    ...failed.map((result) => `\nFailed twice: ${result.file} (seed ${seed})\n${indent(result.log)}`),
    flaky.length > 0 ? `\nFlaky: ${flaky.length} of ${results.length} files failed, then passed alone` : "\nFlaky: none",
    ...flaky.map((result) => `\n${result.file} (seed ${seed})\n${indent(failuresOf(result.log))}`),
    `\n${counts}`,
  ].join("\n");
}

/** The output without the tests that passed. */
function failuresOf(log: string): string {
  const lines = log.split("\n").filter((line) => !/^\((pass|skip|todo)\) /.test(line));
  return lines.slice(-LOG_LINES).join("\n").trim();
}

const LOG_LINES = 200;

function indent(text: string): string {
  return text.replaceAll(/^/gm, "    ");
}

if (import.meta.main) {
  const chosen = process.argv.slice(2);
  const files = findTestFiles("**/*.full.test.ts").filter((file) => chosen.length === 0 || chosen.some((part) => file.includes(part)));
  if (files.length === 0) {
    process.stderr.write(`No file of the full suite has ${chosen.join(" or ")} in its path.\n`);
    process.exit(1);
  }
  const startedMs = performance.now();
  const run = await runFull(files, ROOT, (line) => process.stdout.write(`${line}\n`));
  process.stdout.write(`${summarizeFull(run, process.env["TOLLGATE_TEST_SEED"] ?? "1")}\n`);
  process.stdout.write(`${files.length} files in ${((performance.now() - startedMs) / 1000).toFixed(0)} s\n`);
  process.exit(run.results.every(({ isPassed }) => isPassed) ? 0 : 1);
}

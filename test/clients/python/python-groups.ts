import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pipInstall, prepareEnvironment, runOrSkip } from "../../../scripts/try-model/python-environment.ts";
import { Skipped } from "../../../scripts/try-model/skipped.ts";

/** Libraries that can be installed together: `litellm` needs an older openai than the rest, and Aider pins all of its dependencies. */
export type Group = "openai" | "litellm" | "aider";

/** LiteLLM as a gateway, to be compared with: the newest, which the libraries of `litellm` do not take. */
type Proxy = "proxy";

/** Installs a group in a tenth of pip's time. */
const UV = "uv==0.13.8";

/** What `prepare` returns. Undefined where it cannot be installed; one line says why. */
export function orSkipped<T>(what: string, prepare: () => T): T | undefined {
  try {
    return prepare();
  } catch (error) {
    if (!(error instanceof Skipped)) throw error;
    process.stderr.write(`Skipped: ${what}: ${error.message}.\n`);
  }
}

/** The folder with the programs of a group, installed where it is missing. */
export function installGroup(group: Group | Proxy): string | undefined {
  return orSkipped(`the Python clients of the group ${group}`, () => dirname(prepareGroup(group)));
}

function prepareGroup(group: Group | Proxy): string {
  const requirements = join(import.meta.dir, "requirements", `${group}.txt`);
  return prepareEnvironment(join("test-python", group), readFileSync(requirements, "utf8"), (python) => {
    const uv = join(dirname(prepareEnvironment(join("test-python", "uv"), UV, (own) => pipInstall(own, [UV]))), "uv");
    process.stderr.write(`Installing the Python clients of the group ${group} ...\n`);
    // The list of the proxy is complete, and has other versions than LiteLLM asks for: proxy-override.in.
    const options = ["--quiet", "--only-binary", ":all:", "--python", python, ...(group === "proxy" ? ["--no-deps"] : [])];
    runOrSkip("the packages cannot be installed", [uv, "pip", "install", ...options, "--requirement", requirements]);
  });
}

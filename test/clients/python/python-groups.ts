import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pipInstall, prepareEnvironment, runOrSkip } from "../../../scripts/try-model/python-environment.ts";
import { CheckSkipped } from "../../../scripts/try-model/skipped.ts";

/**
 * Libraries that can be installed together: the `litellm` group needs an older openai than the others, and Aider pins all of its
 * dependencies.
 */
export type Group = "openai" | "litellm" | "aider";

/** The SDKs of Anthropic and OpenAI alone, which the full suite installs. */
type Formats = "formats";

/** LiteLLM as a gateway, for comparison: the newest version, which the libraries of `litellm` do not support. */
type Proxy = "proxy";

/** The installer, which needs a tenth of pip's time. */
const UV = "uv==0.13.8";

/** Returns what `prepare` returns. If the installation is impossible, returns undefined and prints one line with the reason. */
export function orSkipped<T>(what: string, prepare: () => T): T | undefined {
  try {
    return prepare();
  } catch (error) {
    if (!(error instanceof CheckSkipped)) throw error;
    process.stderr.write(`Skipped: ${what}: ${error.message}.\n`);
  }
}

/** The folder with the programs of a group. Installs the group if it is missing. */
export function installGroup(group: Group | Formats | Proxy): string | undefined {
  return orSkipped(`the Python clients of the group ${group}`, () => dirname(prepareGroup(group)));
}

function prepareGroup(group: Group | Formats | Proxy): string {
  const requirements = join(import.meta.dir, "requirements", `${group}.txt`);
  return prepareEnvironment(join("test-python", group), readFileSync(requirements, "utf8"), (python) => {
    const uv = join(dirname(prepareEnvironment(join("test-python", "uv"), UV, (own) => pipInstall(own, [UV]))), "uv");
    process.stderr.write(`Installing the Python clients of the group ${group} ...\n`);
    // The requirements of the proxy are complete, with other versions than LiteLLM requires: proxy-override.in.
    const options = ["--quiet", "--only-binary", ":all:", "--python", python, ...(group === "proxy" ? ["--no-deps"] : [])];
    runOrSkip("the packages cannot be installed", [uv, "pip", "install", ...options, "--requirement", requirements]);
  });
}

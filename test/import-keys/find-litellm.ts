import { existsSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The virtual environment with `litellm[proxy]`: TOLLGATE_TEST_LITELLM, or the environment of the `litellm` on the PATH. Undefined if it is
 * not installed.
 */
export function findLiteLLM(): { readonly python: string; readonly packages: string } | undefined {
  const program = Bun.which("litellm");
  const environment = process.env["TOLLGATE_TEST_LITELLM"] ?? (program === null ? undefined : dirname(dirname(realpathSync(program))));
  const lib = environment === undefined ? undefined : join(environment, "lib");
  if (lib === undefined || !existsSync(lib)) return undefined;
  const packages = readdirSync(lib).map((name) => join(lib, name, "site-packages"));
  const found = packages.find((path) => existsSync(join(path, "litellm/proxy/schema.prisma")));
  return found === undefined ? undefined : { python: join(environment!, "bin/python"), packages: found };
}

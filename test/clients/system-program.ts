/**
 * The path of a program of the system, under the first of its names that is found. Where there is none, one line says what is missing, and
 * the tests that need it are skipped. `scripts/install` installs them before a run: two test files that did it would wait for each other's lock.
 */
export function findProgram(names: readonly string[], debianPackage: string): string | undefined {
  const found = names.map((name) => Bun.which(name)).find((path) => path !== null) ?? undefined;
  if (!found) process.stderr.write(`Skipped: these tests need ${names.join(" or ")}. On Debian: apt-get install ${debianPackage}\n`);
  return found;
}

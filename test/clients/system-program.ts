/**
 * The path of a system program, under the first of its names that is found. If none is found, one line names the missing program, and the
 * tests that need it are skipped. `scripts/install` installs the programs before a run: two test files that installed them would wait for
 * each other's lock.
 */
export function findProgram(names: readonly string[], debianPackage: string): string | undefined {
  const found = names.map((name) => Bun.which(name)).find((path) => path !== null) ?? undefined;
  if (!found) process.stderr.write(`Skipped: these tests need ${names.join(" or ")}. On Debian: apt-get install ${debianPackage}\n`);
  return found;
}

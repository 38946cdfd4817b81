const UNRELEASED = /^## Unreleased, interface (\S+)$/m;

/** Gives the unreleased section its version and date. Throws if there is nothing to release. */
export function releaseChanges(changelog: string, version: string, date: string): { readonly changelog: string; readonly notes: string } {
  const heading = UNRELEASED.exec(changelog);
  if (!heading) throw new Error("CHANGELOG.md has no section ## Unreleased, interface X.Y.Z");
  const released = `## ${version}, ${date}, interface ${heading[1]}`;
  const from = heading.index + heading[0].length;
  const end = changelog.indexOf("\n## ", from);
  const body = changelog.slice(from, end === -1 ? undefined : end).trim();
  if (body === "") throw new Error("CHANGELOG.md lists no unreleased change");
  return { changelog: changelog.replace(UNRELEASED, () => released), notes: `${released}\n\n${body}\n` };
}

/** The files that state the version of the program, and how. */
const PLACES: readonly (readonly [file: string, statement: (version: string) => string])[] = [
  ["package.json", (version) => `"version": "${version}"`],
  ["console/package.json", (version) => `"version": "${version}"`],
  ["deploy/Dockerfile", (version) => `tollgate:${version}`],
  ["deploy/Dockerfile", (version) => `image.version="${version}"`],
  ["docs/installation.md", (version) => `tollgate-${version}.tgz`],
  ["docs/installation.md", (version) => `tollgate:${version}`],
  ["deploy/README.md", (version) => `tollgate:${version}`],
  ["deploy/compose.yaml", (version) => `tollgate:${version}`],
  ["deploy/helm/tollgate/Chart.yaml", (version) => `version: ${version}`],
  ["deploy/helm/tollgate/Chart.yaml", (version) => `appVersion: ${version}`],
];

const LOCKFILE = "package-lock.json";
export const VERSIONED_FILES: readonly string[] = [...new Set(PLACES.map(([file]) => file)), LOCKFILE];

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/;

/** Throws unless the second version is a semantic version that is higher than the first. */
export function refuseEarlierVersion(current: string, next: string): void {
  const [from, to] = [current, next].map((version) => VERSION.exec(version)?.slice(1).map(Number));
  if (!to) throw new Error(`${JSON.stringify(next)} is not a version such as 1.2.3`);
  const changed = to.findIndex((part, at) => part !== from![at]);
  if (changed === -1 || to[changed]! < from![changed]!) throw new Error(`${next} does not follow ${current}`);
}

/** The texts of the files with the current version replaced by the next one. Throws if a file does not state the current version. */
export function withVersion(texts: ReadonlyMap<string, string>, current: string, next: string): Map<string, string> {
  const changed = new Map(texts);
  for (const [file, statement] of PLACES) {
    const text = changed.get(file)!;
    if (!text.includes(statement(current))) throw new Error(`${file} does not state ${statement(current)}`);
    changed.set(
      file,
      text.replaceAll(statement(current), () => statement(next)),
    );
  }
  changed.set(LOCKFILE, lockWithVersion(changed.get(LOCKFILE)!, next));
  return changed;
}

/** npm also states the versions of the project and of its workspaces in the lockfile. */
function lockWithVersion(text: string, version: string): string {
  const lock = JSON.parse(text) as { version: string; packages: Record<string, { version: string }> };
  lock.version = version;
  for (const name of ["", "console"]) lock.packages[name]!.version = version;
  return `${JSON.stringify(lock, undefined, 2)}\n`;
}

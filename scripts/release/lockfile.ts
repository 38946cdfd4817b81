/** A package in `package-lock.json`, by its path: `node_modules/react`. */
export interface LockedPackage {
  readonly name?: string;
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export const MODULES = "node_modules/";
/** The packages that the npm package and the executables consist of. */
export const ROOTS: readonly string[] = ["", "console"];

/** The roots and all their dependencies, each once. */
export function placesIn(packages: Lockfile["packages"]): string[] {
  const found = new Set(ROOTS);
  for (const place of found) for (const each of neededBy(place, packages)) found.add(each);
  return [...found].toSorted();
}

export function neededBy(place: string, packages: Lockfile["packages"]): string[] {
  const { dependencies, optionalDependencies } = packages[place]!;
  return Object.keys({ ...dependencies, ...optionalDependencies }).flatMap((name) => resolve(name, place, packages) ?? []);
}

/** Node's resolution: beside the package, otherwise in a folder above it. An optional package for another platform may be missing. */
function resolve(name: string, place: string, packages: Lockfile["packages"]): string | undefined {
  for (let folder = place; ; folder = folder.slice(0, Math.max(folder.lastIndexOf("/"), 0))) {
    const candidate = `${folder}${folder === "" ? "" : "/"}${MODULES}${name}`;
    if (Object.hasOwn(packages, candidate)) return candidate;
    if (folder === "") return undefined;
  }
}

export function nameOf(place: string, { name }: Pick<LockedPackage, "name">): string {
  return name ?? place.slice(place.lastIndexOf(MODULES) + MODULES.length);
}

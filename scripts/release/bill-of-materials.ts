/** A package as `package-lock.json` has it, by its place: `node_modules/react`. */
interface LockedPackage {
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

const MODULES = "node_modules/";
/** What the npm package and the executables are made of. */
const ROOTS: readonly string[] = ["", "console"];

/**
 * The packages that a release contains or is built from, as an SBOM (software bill of materials): CycloneDX 1.6, made from the lockfile. `npm sbom`
 * leaves out packages that development tools need as well.
 */
export function billOfMaterials({ packages }: Lockfile, madeAt: Date): object {
  const root = packages[""]!;
  const places = placesIn(packages);
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: madeAt.toISOString(),
      component: { ...componentOf("", root), type: "application" },
    },
    components: places.filter((place) => !ROOTS.includes(place)).map((place) => componentOf(place, packages[place]!)),
    dependencies: [
      { ref: refOf("", root), dependsOn: [...new Set(ROOTS.flatMap((place) => dependsOn(place, packages)))].toSorted() },
      ...places
        .filter((place) => !ROOTS.includes(place))
        .map((place) => ({ ref: refOf(place, packages[place]!), dependsOn: dependsOn(place, packages) })),
    ],
  };
}

/** The roots and everything that they need, each once. */
function placesIn(packages: Lockfile["packages"]): string[] {
  const found = new Set(ROOTS);
  for (const place of found) for (const each of neededBy(place, packages)) found.add(each);
  return [...found].toSorted();
}

function dependsOn(place: string, packages: Lockfile["packages"]): string[] {
  return neededBy(place, packages)
    .map((each) => refOf(each, packages[each]!))
    .toSorted();
}

function neededBy(place: string, packages: Lockfile["packages"]): string[] {
  const { dependencies, optionalDependencies } = packages[place]!;
  return Object.keys({ ...dependencies, ...optionalDependencies }).flatMap((name) => resolve(name, place, packages) ?? []);
}

/** Node's rule: beside the package, else in a folder above it. An optional package for another platform may be missing. */
function resolve(name: string, place: string, packages: Lockfile["packages"]): string | undefined {
  for (let folder = place; ; folder = folder.slice(0, Math.max(folder.lastIndexOf("/"), 0))) {
    const candidate = `${folder}${folder === "" ? "" : "/"}${MODULES}${name}`;
    if (Object.hasOwn(packages, candidate)) return candidate;
    if (folder === "") return undefined;
  }
}

function componentOf(place: string, { version, license, integrity, ...locked }: LockedPackage): object {
  const [algorithm, digest] = integrity?.split("-") ?? [];
  return {
    type: "library",
    "bom-ref": refOf(place, { version, ...locked }),
    name: nameOf(place, locked),
    version,
    purl: refOf(place, { version, ...locked }),
    ...(license !== undefined && { licenses: [license.includes(" ") ? { expression: license } : { license: { id: license } }] }),
    ...(algorithm === "sha512" && { hashes: [{ alg: "SHA-512", content: Buffer.from(digest!, "base64").toString("hex") }] }),
  };
}

/** A package URL, which names a package in one ecosystem: `pkg:npm/%40scope/name@1.2.3`. */
function refOf(place: string, locked: Pick<LockedPackage, "name" | "version">): string {
  return `pkg:npm/${nameOf(place, locked).replace("@", "%40")}@${locked.version}`;
}

function nameOf(place: string, { name }: Pick<LockedPackage, "name">): string {
  return name ?? place.slice(place.lastIndexOf(MODULES) + MODULES.length);
}

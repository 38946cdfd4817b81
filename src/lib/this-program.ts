/** Replaced by the build. */
declare const TOLLGATE_COMMIT: string | null;

/** The commit that this program was built from; null where the build did not know it, and without a build. */
export const COMMIT: string | null = typeof TOLLGATE_COMMIT === "undefined" ? null : TOLLGATE_COMMIT;

/** Version and commit, as build metadata of a semantic version: it differs between two builds of one version. */
export function buildOf(version: string): string {
  return COMMIT === null ? version : `${version}+${COMMIT}`;
}

/** How this program is called: the single executable by its name, the package through npx. */
export const TOLLGATE = Bun.isStandaloneExecutable ? "tollgate" : "npx tollgate";

/** The command that starts this program again, before its arguments. The executable contains its program; Bun is given the file of one. */
export const THIS_PROGRAM: readonly string[] = Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, Bun.main];

/** The commit. The build replaces this constant. */
declare const TOLLGATE_COMMIT: string | null;

/** The commit that this program was built from; null if the build did not know it, and without a build. */
export const COMMIT: string | null = typeof TOLLGATE_COMMIT === "undefined" ? null : TOLLGATE_COMMIT;

/** Version and commit, as build metadata of a semantic version: it differs between two builds of one version. */
export function buildOf(version: string): string {
  return COMMIT === null ? version : `${version}+${COMMIT}`;
}

/** The command of this program in messages: the name of the single executable, or npx for the package. */
export const TOLLGATE = Bun.isStandaloneExecutable ? "tollgate" : "npx tollgate";

/**
 * The command that starts this program again, before its arguments. The single executable contains the program; otherwise, Bun needs the
 * program's file.
 */
export const THIS_PROGRAM: readonly string[] = Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, Bun.main];

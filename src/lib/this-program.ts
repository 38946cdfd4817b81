/** How this program is called: the single executable by its name, the package through npx. */
export const TOLLGATE = Bun.isStandaloneExecutable ? "tollgate" : "npx tollgate";

/** The command that starts this program again, before its arguments. The executable contains its program; Bun is given the file of one. */
export const THIS_PROGRAM: readonly string[] = Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, Bun.main];

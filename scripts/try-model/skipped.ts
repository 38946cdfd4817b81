/** Thrown where something outside of Tollgate is missing, which is no failure. The message says what. */
export class Skipped extends Error {}

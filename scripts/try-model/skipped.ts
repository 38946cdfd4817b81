/** Thrown if something outside of Tollgate is missing, which is not a failure. The message names it. */
export class CheckSkipped extends Error {}

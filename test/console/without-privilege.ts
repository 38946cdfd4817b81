/** What to put before a command so that it may not write where modes forbid it. Root may everywhere, as long as it has this right. */
export const WITHOUT_PRIVILEGE: readonly string[] = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override"] : [];

/** `setpriv` is Linux's. */
export const canGoWithout = WITHOUT_PRIVILEGE.length === 0 || Bun.which("setpriv") !== null;

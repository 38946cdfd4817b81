/** A command prefix that drops CAP_DAC_OVERRIDE, with which root may write regardless of file modes. */
export const WITHOUT_PRIVILEGE: readonly string[] = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override"] : [];

/** `setpriv` exists only on Linux. */
export const canGoWithout = WITHOUT_PRIVILEGE.length === 0 || Bun.which("setpriv") !== null;

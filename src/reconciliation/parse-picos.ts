const PICO_DECIMALS = 12;
/** No bill has more digits before the decimal point. */
const MAX_WHOLE_DIGITS = 12;

/**
 * Parses a decimal number of dollars into pico-dollars. Providers write many decimals (`0.0000045000000000000000`), and zero as
 * `0E-6176`. Prices are whole pico-dollars per token, so smaller fractions are rounded.
 */
export function parsePicos(text: string): bigint | undefined {
  const [, sign, whole = "", fraction = "", exponent = "0"] = /^(-?)(\d{1,60})(?:\.(\d{1,100}))?(?:[eE]([+-]?\d{1,5}))?$/.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const digits = BigInt(whole + fraction);
  if (digits === 0n) return 0n;
  const shift = PICO_DECIMALS - fraction.length + Number(exponent);
  if (shift > PICO_DECIMALS + MAX_WHOLE_DIGITS) return undefined;
  const picos = shift >= 0 ? digits * 10n ** BigInt(shift) : roundedShift(digits, -shift);
  if (picos >= 10n ** BigInt(PICO_DECIMALS + MAX_WHOLE_DIGITS)) return undefined;
  return sign === "-" ? -picos : picos;
}

function roundedShift(digits: bigint, by: number): bigint {
  // Beyond its own digits a number is zero.
  if (by > digits.toString().length) return 0n;
  const divisor = 10n ** BigInt(by);
  return (digits + divisor / 2n) / divisor;
}

const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(["Adlm", "Arab", "Hebr", "Nkoo", "Rohg", "Syrc", "Thaa"]);

/**
 * The locale of numbers, money and dates: the languages of the browser, in their order. Words stay English, like the rest of the console.
 * Outside of a browser (unit tests) there are no languages.
 */
const LOCALE: readonly string[] = (globalThis.navigator?.languages ?? ["en-GB"]).map(leftToRight);

/**
 * Replaces a language that is written from right to left with English of the same region. Dates in such a language have marks that would
 * change the order in which they, and the English text around them, are shown.
 */
export function leftToRight(locale: string): string {
  const { script = "", region = "GB" } = new Intl.Locale(locale).maximize();
  return RIGHT_TO_LEFT.has(script) ? `en-${region}` : locale;
}

/** A format of dollars, with this minimum and maximum number of digits after the decimal point. */
export function dollarFormat(fewest: number, most = fewest): Intl.NumberFormat {
  return new Intl.NumberFormat([...LOCALE], {
    style: "currency",
    currency: "USD",
    // "$" in every locale: "US$" beside "$" would look like two currencies.
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: fewest,
    maximumFractionDigits: most,
  });
}

export function numberFormat(options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  return new Intl.NumberFormat([...LOCALE], options);
}

/** British and other English locales write 12.3m, which looks like metres. All English locales use 12.3M, as in the docs. */
const IN_ENGLISH: Readonly<Record<string, string>> = { k: "K", m: "M", bn: "B", tn: "T" };

/** Formats a number as 12.3M, or in the style of the locale. */
export function compactFormat(options: Intl.NumberFormatOptions): (value: number) => string {
  const format = numberFormat({ ...options, notation: "compact" });
  if (!format.resolvedOptions().locale.startsWith("en")) return (value) => format.format(value);
  return (value) =>
    format
      .formatToParts(value)
      .map(({ type, value: text }) => (type === "compact" ? (IN_ENGLISH[text] ?? text) : text))
      .join("");
}

export function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat([...LOCALE], options);
}

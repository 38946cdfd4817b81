const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(["Adlm", "Arab", "Hebr", "Nkoo", "Rohg", "Syrc", "Thaa"]);

/**
 * The locale of numbers, money and dates: the languages of the browser, in their order. Words stay English, as the rest of the console is.
 * Outside of a browser (unit tests) there is none.
 */
const LOCALE: readonly string[] = (globalThis.navigator?.languages ?? ["en-GB"]).map(leftToRight);

/**
 * English of the same region in place of a language that is written from right to left: its dates have marks by which they, and the English
 * text around them, would be shown in another order.
 */
export function leftToRight(locale: string): string {
  const { script = "", region = "GB" } = new Intl.Locale(locale).maximize();
  return RIGHT_TO_LEFT.has(script) ? `en-${region}` : locale;
}

/** A format of dollars, with so many digits after the decimal point. */
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

export function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat([...LOCALE], options);
}

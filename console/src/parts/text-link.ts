/** The classes of an inline link: underlined, because colour must not be the only signal. */
export const textLink = "text-accent underline underline-offset-2";

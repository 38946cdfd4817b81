/**
 * Sets the theme before the first paint, to avoid a flash of the light theme. It is a separate file because the content security
 * policy forbids inline scripts.
 */
import { readTheme, showTheme } from "./theme.ts";

showTheme(readTheme());

/**
 * Runs before anything is drawn, so that nobody who chose the dark theme sees a flash of the light one. It is a file of its own
 * because the content security policy takes no script in the page.
 */
import { readTheme, showTheme } from "./theme.ts";

showTheme(readTheme());

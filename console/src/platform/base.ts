/** The path prefix that the console is served under: empty, or such as `/tollgate`. */
export const base = document.documentElement.dataset.base ?? "";

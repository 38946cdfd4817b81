/** The path prefix that the console is served under: empty, or for example `/tollgate`. */
export const base = document.documentElement.dataset.base ?? "";

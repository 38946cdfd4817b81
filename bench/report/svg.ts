/** The style of the charts in light and dark mode, and their scale. */

export const WIDTH = 760;

const STYLE = `
  text { font: 14px system-ui, sans-serif; fill: #1f2328 }
  .small { font-size: 12px; fill: #59636e }
  .title { font-size: 16px; font-weight: 600 }
  .grid { stroke: #d1d9e0 } .axis { stroke: #818b98 }
  .bar { fill: #afb8c1 } .ours { fill: #0969da } .whisker { stroke: #1f2328; stroke-width: 1.5 }
  .met { fill: #1a7f37 } .missed { fill: #cf222e } .ground { fill: #ffffff }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .small { fill: #9198a1 }
    .grid { stroke: #3d444d } .axis { stroke: #9198a1 }
    .bar { fill: #656c76 } .ours { fill: #4493f8 } .whisker { stroke: #f0f6fc }
    .met { fill: #3fb950 } .missed { fill: #f85149 } .ground { fill: #0d1117 }
  }`;

export function picture(height: number, title: string, inside: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escape(title)}">
<style>${STYLE}</style>
<rect class="ground" width="${WIDTH}" height="${height}" rx="6"/>
<text class="title" x="16" y="28">${escape(title)}</text>
${inside}
</svg>
`;
}

export function text(x: number, y: number, words: string, kind = "", anchor: "start" | "middle" | "end" = "start"): string {
  return `<text class="${kind}" x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${escape(words)}</text>`;
}

export function line(kind: string, x1: number, y1: number, x2: number, y2: number): string {
  return `<line class="${kind}" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`;
}

/** The position of a value on a logarithmic scale. */
export function logScale(least: number, most: number, left: number, right: number): (value: number) => number {
  const [from, to] = [Math.log10(least), Math.log10(most)];
  return (value) => left + ((Math.log10(Math.max(value, least)) - from) / (to - from)) * (right - left);
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escape(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

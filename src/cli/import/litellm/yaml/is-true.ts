import type { YamlNode } from "./yaml-node.ts";

/** Python's spelling is accepted, too. */
export function isTrue(node: YamlNode | undefined): boolean {
  return /^true$/i.test(node?.text ?? "");
}

/** Edits the sections of a branch in `config` without touching the rest. */

/** Removes the section of a branch. */
export function withoutBranch(config: string, branch: string): string {
  return eachSection(config, (lines, name) => (name === branch ? [] : lines))
}

/** Renames the section of a branch. */
export function withBranchRenamed(config: string, branch: string, to: string): string {
  const escaped = to.replaceAll(/["\\]/g, '\\$&')
  return eachSection(config, ([head = '', ...lines], name) =>
    name === branch ? [head.replace(/^\s*\[[^\]]*\]/, () => `[branch "${escaped}"]`), ...lines] : [head, ...lines],
  )
}

function eachSection(config: string, change: (lines: string[], branch: string | undefined) => string[]): string {
  const sections: string[][] = [[]]
  for (const line of config.split('\n')) {
    if (/^\s*\[/.test(line)) sections.push([])
    sections.at(-1)?.push(line)
  }
  const [before = [], ...rest] = sections
  return [before, ...rest.map((lines) => change(lines, branchOf(lines[0] ?? '')))].flat().join('\n')
}

function branchOf(line: string): string | undefined {
  const [, name] = /^\s*\[\s*branch\s+"((?:[^"\\]|\\.)*)"\s*\]/i.exec(line) ?? []
  return name?.replaceAll(/\\(.)/g, '$1')
}

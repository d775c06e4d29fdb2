/** What the engine compiles for a module that is imported. */
import type { PackageConfig } from './module-files.js'

/** A module whose default export is the value of an expression. */
export function wrapped(expression: string, names: readonly string[]): string {
  const exports = names.filter((name) => name !== 'default' && /^[A-Za-z_$][\w$]*$/.test(name))
  const list = exports.map((name, index) => `const $${index} = $module[${JSON.stringify(name)}];`).join('\n')
  const named = exports.map((name, index) => `$${index} as ${name}`).join(', ')
  return `const $module = ${expression};\nexport default $module;\n${list}\nexport { ${named} };\n`
}

interface Meta {
  path: string
  url: string
  /** What has no `type`, so that the file had to be compiled twice. */
  untyped?: PackageConfig | undefined
}

/** An ES module with its `import.meta`, set on the first line, so that the numbers of the lines stay. */
export function withMeta(text: string, { path, url, untyped }: Meta): string {
  const source = text.startsWith('#!') ? `//${text}` : text
  const given = [path, url, untyped === undefined ? null : `${untyped.folder}package.json`]
  const start = `$polyfs.fillMeta(import.meta, ${given.map((each) => JSON.stringify(each)).join(', ')}, `
  // As long as what follows: the number is padded.
  return `${start}${String(start.length + 10).padStart(8)});${source}`
}

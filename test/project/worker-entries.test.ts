/** No module that is built for pages imports the entry of a worker: WebKit runs it again, as a second worker in the same thread. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'vite'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The names of worker scripts, as the build finds them. */
const workers = ['web', 'playground'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('-worker.ts'))
    .map((file) => basename(file, '.ts')),
)

/** With or without a hash. */
const entry = new RegExp(`^(${workers.join('|')})(-[\\w-]{8})?\\.js$`)

test.each([
  ["import './a.js'; import x from './b.js'; export * from './c.js'; export { y } from './d.js'", 'abcd'],
  ["await import('./a.js'); const load = () => import(`./b.js`)", 'ab'],
  ["new Worker(new URL('./a.js', import.meta.url)); const text = `import './b.js'`", ''],
])('imports are found: %s', (code, found) => {
  expect(importedBy(code).join('')).toBe([...found].map((name) => `./${name}.js`).join(''))
})

describe.each(['web', 'playground'])('dist/%s', (folder) => {
  const files = readdirSync(join(root, 'dist', folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js'))
    .map((file) => file.replaceAll('\\', '/'))

  test('has workers', () => {
    expect(files.filter((file) => entry.test(basename(file)))).not.toEqual([])
  })

  test('no module imports the entry of a worker', () => {
    const wrong = files.flatMap((file) => {
      const code = readFileSync(join(root, 'dist', folder, file), 'utf8')
      if (!workers.some((name) => code.includes(name))) return []
      const wanted = importedBy(code).filter((specifier) => entry.test(posix.basename(specifier)))
      return wanted.map((specifier) => `${file} imports ${specifier}`)
    })
    expect(wrong).toEqual([])
  })
})

/** Every specifier of a static or dynamic import that is a plain text. */
function importedBy(code: string): string[] {
  const found: string[] = []
  visit(parseAst(code))
  return found

  function visit(node: unknown): void {
    if (typeof node !== 'object' || node === null) return
    const { type, source } = node as { type?: string; source?: Source | null }
    if (/^(Import|Export)/.test(type ?? '') && source) {
      const text = source.value ?? source.quasis?.map(({ value }) => value.cooked).join('')
      if (text !== undefined) found.push(text)
    }
    for (const value of Object.values(node)) visit(value)
  }
}

interface Source {
  value?: string
  quasis?: { value: { cooked: string } }[]
}
